/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Missing and wrong parts terminate the program with a message that names them.
#include "hosts-test-support.h"

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "ns3/ina-host-helper.h"
#include "ns3/ina-system.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>
#include <utility>

namespace ns3
{
namespace
{

class HostMisuseDeathTest : public testing::Test
{
  protected:
    static Ptr<InaSystem>
    Create(const std::string& name)
    {
        return ObjectFactory("ns3::Ina" + name + "System").Create<InaSystem>();
    }

    std::unique_ptr<ina::WorkerTransport>
    MakeTransport(const std::string& system, const ina::WorkerIdentity& identity)
    {
        return Create(system)->MakeTransport(identity, m_pool, m_sink);
    }

    Ptr<InaWorkerApplication>
    InstallWorker()
    {
        const InaHostHelper hosts(Create("Dsa"), m_pool);
        const auto applications =
            hosts.InstallWorkers({.id = 0, .workers = {0}, .servers = {2}},
                                 NodeContainer(m_link.left->GetNode()),
                                 [this](uint16_t) -> ina::ResultSink& { return m_sink; });
        return DynamicCast<InaWorkerApplication>(applications.Get(0));
    }

    FreshSimulator m_fresh;
    TestLink m_link;
    ina::ValuePool m_pool{ina::wire::kFragmentValues};
    NoSink m_sink;
    NoSource m_source;
};

TEST_F(HostMisuseDeathTest, AWorkerWithoutATransport)
{
    const auto worker = CreateObject<InaWorkerApplication>();
    m_link.left->GetNode()->AddApplication(worker);
    EXPECT_DEATH(worker->Install(m_link.left, nullptr), "needs a transport");
    EXPECT_DEATH(worker->Install(nullptr, MakeTransport("Dsa", {0, 0, 2, 0, ina::HostId{2}})),
                 "needs an InaNetDevice");
    EXPECT_DEATH(worker->Submit({}), "InaWorkerApplication has no transport: call Install\\(\\)");
    EXPECT_DEATH(worker->GetTransport(), "has no transport");
    EXPECT_DEATH(worker->GetStatistics(), "has no transport");
}

TEST_F(HostMisuseDeathTest, AnApplicationThatIsNotInstalled)
{
    const auto worker = CreateObject<InaWorkerApplication>();
    constexpr const char* message = "InaWorkerApplication has no device: call Install\\(\\)";
    EXPECT_DEATH(worker->GetDevice(), message);
    EXPECT_DEATH(worker->GetFramesSent(), message);
    EXPECT_DEATH(worker->At(Time(0), [](const Time&) {}), message);
    EXPECT_DEATH(worker->Pause(Seconds(1)), message);
    EXPECT_DEATH(worker->Stop(), message);
}

TEST_F(HostMisuseDeathTest, AnApplicationOnNoNode)
{
    const auto worker = CreateObject<InaWorkerApplication>();
    EXPECT_DEATH(worker->Install(m_link.left, MakeTransport("Dsa", {0, 0, 2, 0, ina::HostId{2}})),
                 "InaWorkerApplication has no node: call Node::AddApplication\\(\\)");
}

TEST_F(HostMisuseDeathTest, AnApplicationThatSharesItsDeviceTooLateOrWithNothing)
{
    const auto worker = InstallWorker();
    EXPECT_DEATH(worker->Share(nullptr, 0), "Share\\(\\) needs an InaHostInterface");
    const TestLink second("100Gbps", DELAY_PS, 0, CreateObject<Node>());
    const auto interface = ns3::Create<InaHostInterface>(second.left);
    EXPECT_DEATH(worker->Share(interface, 0), "Share\\(\\) was called after Install\\(\\)");
}

TEST_F(HostMisuseDeathTest, AServerWithoutItsLogic)
{
    const auto server = CreateObject<InaServerApplication>();
    EXPECT_DEATH(server->Install(m_link.left, nullptr), "needs a server");
    EXPECT_DEATH(server->GetServer(), "InaServerApplication has no server");
}

TEST_F(HostMisuseDeathTest, ATensorWithoutASource)
{
    const auto worker = InstallWorker();
    ina::Tensor tensor;
    tensor.fragments = 1;
    EXPECT_DEATH(worker->Submit(tensor), "set Tensor::source");
}

TEST_F(HostMisuseDeathTest, ATensorWithoutFragments)
{
    const auto worker = InstallWorker();
    ina::Tensor tensor;
    tensor.source = &m_source;
    EXPECT_DEATH(worker->Submit(tensor), "set Tensor::fragments");
}

/** Reads a field that only some formats have. */
class ReadingTransport : public SilentTransport
{
  public:
    void
    receive(const ina::Frame& frame, ina::Time) override
    {
        index = frame.aggregator().index;
    }

    uint32_t index{0};
};

TEST_F(HostMisuseDeathTest, AFrameOfAnotherPacketFormatAtAWorker)
{
    const auto worker = CreateObject<InaWorkerApplication>();
    m_link.left->GetNode()->AddApplication(worker);
    worker->Install<ReadingTransport>(m_link.left);
    ina::Frame frame = MakeFrame(0);
    frame.fields = ina::wire::fields_of(ina::wire::Format::switchml);
    m_link.right->SendFrame(frame);
    constexpr const char* message =
        "the transport of an InaWorkerApplication received a frame of another packet format";
    EXPECT_DEATH(Simulator::Run(), message);
    worker->SetRunAhead(true);
    EXPECT_DEATH(Simulator::Run(), message);
    m_link.left->TraceConnectWithoutContext(
        "Rx",
        Callback<void, const ina::Frame&>([](const ina::Frame&) {}));
    EXPECT_DEATH(Simulator::Run(), message);
}

TEST_F(HostMisuseDeathTest, AGradientOfAnotherPacketFormatAtAServer)
{
    ina::Frame gradient = MakeFrame(0);
    gradient.kind = ina::FrameKind::gradient;
    gradient.fields = ina::wire::fields_of(ina::wire::Format::switchml);
    const InaHostHelper hosts(Create("Dsa"), m_pool);
    hosts.InstallServers({.id = 0, .workers = {0}, .servers = {2}},
                         NodeContainer(m_link.left->GetNode()),
                         1);
    m_link.right->SendFrame(gradient);
    EXPECT_DEATH(Simulator::Run(),
                 "the server of an InaServerApplication received a frame of another packet format");
}

TEST_F(HostMisuseDeathTest, WorkersWithoutSinks)
{
    const InaHostHelper hosts(Create("Dsa"), m_pool);
    EXPECT_DEATH(hosts.InstallWorkers({.id = 0, .workers = {0}, .servers = {2}},
                                      NodeContainer(m_link.left->GetNode()),
                                      {}),
                 "needs a function that returns sinks");
}

TEST_F(HostMisuseDeathTest, MoreWorkersThanHeadersName)
{
    constexpr ina::HostId WORKERS = 1025;
    InaJob job{.id = 0, .workers = {}, .servers = {WORKERS}};
    for (ina::HostId host = 0; host < WORKERS; ++host)
    {
        job.workers.push_back(host);
    }
    const InaHostHelper hosts(Create("Dsa"), m_pool);
    EXPECT_DEATH(hosts.InstallJob(CreateObject<InaSwitch>(), job), "1024");
}

TEST_F(HostMisuseDeathTest, AnInterfaceOfNoDeviceOrOfOneInUse)
{
    EXPECT_DEATH(ns3::Create<InaHostInterface>(Ptr<InaNetDevice>()), "needs an InaNetDevice");
    EXPECT_DEATH(ns3::Create<InaHostInterface>(CreateObject<InaNetDevice>()),
                 "no node: call Node::AddDevice\\(\\)");
    InstallWorker();
    EXPECT_DEATH(ns3::Create<InaHostInterface>(m_link.left), "already has a handler");
}

TEST_F(HostMisuseDeathTest, TwoApplicationsOnADeviceThatTheyDoNotShare)
{
    InstallWorker();
    EXPECT_DEATH(InstallWorker(), "already has a handler: call Share\\(\\) first");
}

TEST_F(HostMisuseDeathTest, ANodeWithSeveralDevices)
{
    const TestLink second("100Gbps", DELAY_PS, 0, m_link.left->GetNode());
    EXPECT_DEATH(InstallWorker(), "has several InaNetDevices");
}

TEST_F(HostMisuseDeathTest, AnActionInThePast)
{
    const auto worker = InstallWorker();
    Simulator::Schedule(NanoSeconds(5), [&]() { worker->At(NanoSeconds(2), [](const Time&) {}); });
    EXPECT_DEATH(Simulator::Run(), "called for \\+2ns, which is in the past: the time is \\+5ns");
}

TEST_F(HostMisuseDeathTest, ARankThatTheJobDoesNotHave)
{
    EXPECT_DEATH(MakeTransport("Dsa", {0, 7, 2, 0, ina::HostId{2}}),
                 "dsa: found rank 7; allowed: below 2, the job's number of workers");
}

TEST_F(HostMisuseDeathTest, AWorkerThatKnowsNoServer)
{
    EXPECT_DEATH(MakeTransport("Atp", {.workers = 2, .servers = {}}),
                 "atp: a worker has no parameter server");
}

TEST_F(HostMisuseDeathTest, AWorkerThatDoesNotKnowTheOthers)
{
    EXPECT_DEATH(MakeTransport("Ring", {.workers = 2, .servers = {}}),
                 "ring: found 0 members; allowed: 2, the job's number of workers");
}

TEST_F(HostMisuseDeathTest, PsnsThatWereSubmittedBefore)
{
    const auto worker = InstallWorker();
    ina::Tensor tensor;
    tensor.fragments = 10;
    tensor.source = &m_source;
    worker->Submit(tensor);
    for (const ina::Psn first : {0, 5, 9})
    {
        tensor.first_psn = first;
        EXPECT_DEATH(worker->Submit(tensor), "some of these PSNs were already used");
    }
    tensor.first_psn = 10;
    worker->Submit(tensor);
}

TEST_F(HostMisuseDeathTest, AnInterfaceQueueThatChanges)
{
    const auto worker = InstallWorker();
    worker->SetAttribute("InterfaceQueue", UintegerValue(2));
    worker->Initialize();
    EXPECT_DEATH(worker->SetAttribute("InterfaceQueue", UintegerValue(1)),
                 "InterfaceQueue of an InaWorkerApplication can no longer be changed");
}

/** Calls its application from within a callback. */
class Meddler : public ina::GradientSource
{
  public:
    void
    read(ina::Psn, std::span<int32_t>) const override
    {
        ina::Tensor tensor;
        tensor.first_psn = 1000;
        tensor.fragments = 1;
        tensor.source = this;
        application->Submit(tensor);
    }

    Ptr<InaWorkerApplication> application;
};

TEST_F(HostMisuseDeathTest, ATensorThatASourceSubmits)
{
    Meddler meddler;
    meddler.application = InstallWorker();
    ina::Tensor tensor;
    tensor.fragments = 1;
    tensor.source = &meddler;
    EXPECT_DEATH(meddler.application->Submit(tensor),
                 "Submit\\(\\) was called from within a GradientSource");
}

TEST_F(HostMisuseDeathTest, AddressesThatAJobHasTwice)
{
    const InaHostHelper hosts(Create("Dsa"), m_pool);
    const auto inaSwitch = CreateObject<InaSwitch>();
    EXPECT_DEATH(hosts.InstallJob(inaSwitch, {.id = 0, .workers = {1, 1}, .servers = {2}}),
                 "job 0 has address 1 twice");
    EXPECT_DEATH(hosts.InstallJob(inaSwitch, {.id = 0, .workers = {1, 2}, .servers = {2}}),
                 "job 0 has address 2 twice");
    EXPECT_DEATH(hosts.InstallJob(inaSwitch, {.id = 0, .workers = {}}), "job 0 has no workers");
    EXPECT_DEATH(hosts.InstallJob(nullptr, {.id = 0, .workers = {1}}), "needs an InaSwitch");
}

TEST_F(HostMisuseDeathTest, NodesThatDoNotFitTheJob)
{
    const InaHostHelper hosts(Create("Dsa"), m_pool);
    const auto sink = [this](uint16_t) -> ina::ResultSink& { return m_sink; };
    const InaJob job{.id = 3, .workers = {0}, .servers = {2}};
    EXPECT_DEATH(hosts.InstallWorkers(job, NodeContainer(2), sink),
                 "job 3 has 1 workers, but InstallWorkers\\(\\) got 2 nodes");
    EXPECT_DEATH(hosts.InstallServers(job, NodeContainer(), 1),
                 "job 3 has 1 servers, but InstallServers\\(\\) got 0 nodes");
    EXPECT_DEATH(hosts.InstallWorkers(job, NodeContainer(1), sink), "has no InaNetDevice");
}

TEST_F(HostMisuseDeathTest, AWorkerWhoseFirstTensorNeverComesIsNamedAtTheEnd)
{
    const auto worker = InstallWorker();
    ina::Tensor tensor;
    tensor.first_psn = 100;
    tensor.fragments = 1;
    tensor.source = &m_source;
    worker->Submit(tensor);
    Simulator::Run();
    testing::internal::CaptureStderr();
    Simulator::Destroy();
    EXPECT_NE(testing::internal::GetCapturedStderr().find(
                  "never sent the tensor from PSN 100, because PSNs 0 to 99 were not submitted"),
              std::string::npos);
}

} // namespace
} // namespace ns3
