// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/member_table.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace ina::programs {
namespace {

constexpr JobId kJob = 3;
constexpr JobId kOther = 4;
constexpr HostId kServer = 9;

/// Job 3 is on hosts 5, 6 and 7 with server 9, and job 4 on host 8 with server 10. Job 6 is
/// SwitchML's, on hosts 11 and 12.
MemberTable table() {
  MemberTable table;
  table.install(kJob, {5, 6, 7}, kServer, wire::one_level(3));
  table.install(kOther, {8}, 10, wire::one_level(1));
  table.install(6, {11, 12}, MemberTable::kNoHost, wire::one_level(2));
  return table;
}

/// A frame of worker 1 of job 3.
Frame from_worker(FrameKind kind) {
  Frame frame;
  frame.kind = kind;
  frame.job = kJob;
  frame.worker = 1;
  frame.aggregator().bitmap0 = 0b010;
  frame.source = 6;
  frame.destination = kServer;
  frame.aggregator().fan_in_degree0 = kind == FrameKind::gradient ? 3 : 0;
  return frame;
}

Frame from_server(FrameKind kind, HostId destination) {
  Frame frame;
  frame.kind = kind;
  frame.job = kJob;
  frame.source = kServer;
  frame.destination = destination;
  return frame;
}

TEST(MemberTable, AdmitsWhatMembersSend) {
  const MemberTable members = table();
  for (const auto kind : {FrameKind::gradient, FrameKind::notification, FrameKind::release}) {
    EXPECT_TRUE(members.admits(from_worker(kind), 6));
  }
  EXPECT_TRUE(members.admits(from_server(FrameKind::result, kAllWorkers), kServer));
  EXPECT_TRUE(members.admits(from_server(FrameKind::result, 7), kServer));
  EXPECT_TRUE(members.admits(from_server(FrameKind::fragment_request, kAllWorkers), kServer));
  EXPECT_TRUE(members.admits(from_server(FrameKind::reminder, kServer), kServer));
}

TEST(MemberTable, RefusesEachForgedField) {
  const MemberTable members = table();
  const std::pair<const char*, std::function<void(Frame&)>> forgeries[] = {
      {"job", [](Frame& f) { f.job = kOther; }},
      {"unknown job", [](Frame& f) { f.job = 200; }},
      {"job that was never installed", [](Frame& f) { f.job = 5; }},
      {"worker", [](Frame& f) { f.worker = 0; }},
      {"worker beyond the job", [](Frame& f) { f.worker = 40; }},
      {"another's bit", [](Frame& f) { f.aggregator().bitmap0 = 0b001; }},
      {"others' bits too", [](Frame& f) { f.aggregator().bitmap0 = 0b111; }},
      {"no bit", [](Frame& f) { f.aggregator().bitmap0 = 0; }},
      {"branch", [](Frame& f) { f.aggregator().bitmap1 = 1; }},
      {"branches", [](Frame& f) { f.aggregator().fan_in_degree1 = 1; }},
      {"second level", [](Frame& f) { f.set(flag::second_level); }},
      {"source", [](Frame& f) { f.source = 5; }},
      {"fan-in below", [](Frame& f) { f.aggregator().fan_in_degree0 = 1; }},
      {"fan-in above", [](Frame& f) { f.aggregator().fan_in_degree0 = 4; }},
      {"partial", [](Frame& f) { f.set(flag::partial); }},
      {"another server", [](Frame& f) { f.destination = 10; }},
      {"multicast", [](Frame& f) { f.destination = kAllWorkers; }},
      {"result", [](Frame& f) { f.kind = FrameKind::result; }},
      {"request", [](Frame& f) { f.kind = FrameKind::fragment_request; }},
      {"reminder", [](Frame& f) { f.kind = FrameKind::reminder; }},
  };
  for (const auto& [what, forge] : forgeries) {
    Frame frame = from_worker(FrameKind::gradient);
    forge(frame);
    EXPECT_FALSE(members.admits(frame, 6)) << what;
  }
}

TEST(MemberTable, RefusesAHostThatIsNoMember) {
  const MemberTable members = table();
  for (const HostId host : {HostId{8}, HostId{10}, HostId{13}}) {
    Frame honest = from_worker(FrameKind::gradient);
    EXPECT_FALSE(members.admits(honest, host)) << "in a member's name";
    honest.source = host;
    EXPECT_FALSE(members.admits(honest, host)) << "in its own name";
    Frame result = from_server(FrameKind::result, kAllWorkers);
    EXPECT_FALSE(members.admits(result, host));
    result.source = host;
    EXPECT_FALSE(members.admits(result, host));
  }
}

/// Job 3 is on hosts 5, 6 and 7 with servers 9 and 10.
TEST(MemberTable, OfSeveralServersAdmitsEachForItsOwnFragmentsOnly) {
  MemberTable members;
  members.install(kJob, {5, 6, 7}, wire::JobServers(std::vector<HostId>{9, 10}),
                  wire::one_level(3));
  for (const Psn psn : {Psn{4}, Psn{5}}) {
    for (const HostId server : {HostId{9}, HostId{10}}) {
      const bool is_its_own = (psn % 2 == 0) == (server == 9);
      for (const auto kind : {FrameKind::gradient, FrameKind::notification, FrameKind::release}) {
        Frame frame = from_worker(kind);
        frame.psn = psn;
        frame.destination = server;
        EXPECT_EQ(members.admits(frame, 6), is_its_own);
        if (kind == FrameKind::gradient) frame.set(flag::partial);
        EXPECT_EQ(members.admits_from_switch(frame), is_its_own);
      }
      for (const auto kind :
           {FrameKind::result, FrameKind::fragment_request, FrameKind::reminder}) {
        Frame frame = from_server(kind, kind == FrameKind::reminder ? server : kAllWorkers);
        frame.psn = psn;
        frame.source = server;
        EXPECT_EQ(members.admits(frame, server), is_its_own);
        EXPECT_EQ(members.admits_from_switch(frame), is_its_own);
      }
    }
  }
}

TEST(MemberTable, AServerSpeaksToItsOwnJobOnlyAndIsNoWorker) {
  const MemberTable members = table();
  EXPECT_FALSE(members.admits(from_server(FrameKind::result, 8), kServer));
  EXPECT_FALSE(members.admits(from_server(FrameKind::reminder, 10), kServer));
  EXPECT_FALSE(members.admits(from_server(FrameKind::gradient, kServer), kServer));
}

TEST(MemberTable, SwitchmlHasNeitherBitmapNorServer) {
  const MemberTable members = table();
  Frame update;
  update.fields = SwitchmlFields();
  update.job = 6;
  update.worker = 1;
  update.source = 12;
  update.destination = 12;
  EXPECT_TRUE(members.admits(update, 12));
  EXPECT_FALSE(members.admits(update, 11));
  update.kind = FrameKind::result;
  EXPECT_FALSE(members.admits(update, 12));
  update.source = MemberTable::kNoHost;
  EXPECT_FALSE(members.admits(update, 12));
}

/// Workers 0 and 1 of job 3 are in one rack, worker 2 is in another.
MemberTable table_of_racks() {
  MemberTable table;
  table.install(kJob, {5, 6, 7}, kServer,
                wire::aggregation_paths(std::vector<std::uint16_t>{0, 0, 1}, 2, wire::Levels::two));
  return table;
}

Frame of_rack(Frame frame) {
  frame.aggregator().fan_in_degree0 = 2;
  frame.aggregator().fan_in_degree1 = 2;
  frame.aggregator().bitmap1 = 1;
  return frame;
}

TEST(MemberTable, AWorkerInARackSendsItsOwnPathOnly) {
  const MemberTable members = table_of_racks();
  const Frame honest = of_rack(from_worker(FrameKind::gradient));
  EXPECT_TRUE(members.admits(honest, 6));
  EXPECT_FALSE(members.admits(from_worker(FrameKind::gradient), 6));
  Frame forged = honest;
  forged.aggregator().bitmap1 = 2;
  EXPECT_FALSE(members.admits(forged, 6));
  forged = honest;
  forged.set(flag::second_level);
  EXPECT_FALSE(members.admits(forged, 6));
}

TEST(MemberTable, AnotherSwitchSendsSumsOfItsRackAndControlOfMembers) {
  const MemberTable members = table_of_racks();
  Frame sum = of_rack(from_worker(FrameKind::gradient));
  sum.set(flag::second_level | flag::partial | flag::resend);
  sum.aggregator().bitmap0 = 0b011;
  EXPECT_TRUE(members.admits_from_switch(sum));
  Frame floats = of_rack(from_worker(FrameKind::gradient));
  floats.set(flag::floats | flag::resend | flag::answer);
  EXPECT_TRUE(members.admits_from_switch(floats));
  EXPECT_TRUE(members.admits_from_switch(of_rack(from_worker(FrameKind::release))));
  EXPECT_TRUE(members.admits_from_switch(from_server(FrameKind::result, kAllWorkers)));
  const std::pair<const char*, std::function<void(Frame&)>> forgeries[] = {
      {"unknown job", [](Frame& f) { f.job = 200; }},
      {"another's source", [](Frame& f) { f.source = 5; }},
      {"worker beyond the job", [](Frame& f) { f.worker = 40; }},
      {"not its own sum", [](Frame& f) { f.aggregator().bitmap0 = 0b001; }},
      {"another branch", [](Frame& f) { f.aggregator().bitmap1 = 2; }},
      {"another fan-in", [](Frame& f) { f.aggregator().fan_in_degree1 = 1; }},
      {"first level", [](Frame& f) { f.flags = 0; }},
      {"another server", [](Frame& f) { f.destination = 10; }},
      {"result", [](Frame& f) { f.kind = FrameKind::result; }},
  };
  for (const auto& [what, forge] : forgeries) {
    Frame frame = sum;
    forge(frame);
    EXPECT_FALSE(members.admits_from_switch(frame)) << what;
  }
}

TEST(MemberTable, OfDsaALeafHandsOnAlsoWhatItHadNoAggregatorFor) {
  const MemberTable members = table();
  const Frame own = from_worker(FrameKind::gradient);
  EXPECT_FALSE(members.admits_from_switch(own)) << "a leaf adds it up, or says why not";
  for (const auto why : {flag::collision, flag::resend, flag::answer}) {
    Frame passing = own;
    passing.set(why);
    EXPECT_TRUE(members.admits_from_switch(passing));
  }
  Frame partial = own;
  partial.set(flag::partial);
  partial.source = 8;  // in the other job, whose packet evicted the sum
  EXPECT_TRUE(members.admits_from_switch(partial));
  partial.destination = 10;
  EXPECT_FALSE(members.admits_from_switch(partial));
}

TEST(MemberTable, ALeafIsRemindedByWayOfAWorkerAsWhichItAnswers) {
  const MemberTable members = table();
  EXPECT_TRUE(members.admits(from_server(FrameKind::reminder, 5), kServer));
  EXPECT_FALSE(members.admits(from_server(FrameKind::reminder, kAllWorkers), kServer));
  const Frame answer = from_worker(FrameKind::reminder);
  EXPECT_TRUE(members.admits_from_switch(answer));
  EXPECT_FALSE(members.admits(answer, 6)) << "no switch sent it";
  Frame forged = answer;
  forged.source = 8;
  EXPECT_FALSE(members.admits_from_switch(forged));
}

TEST(MemberTable, TheRootsAnswerIsOfAWorkerAndToAll) {
  const MemberTable members = table();
  Frame answer = from_worker(FrameKind::result);
  answer.destination = kAllWorkers;
  EXPECT_TRUE(members.admits_answer(answer));
  EXPECT_FALSE(members.admits(answer, 6)) << "no switch sent it";
  answer.source = 8;
  EXPECT_FALSE(members.admits_answer(answer));
  answer.source = 6;
  answer.destination = 7;
  EXPECT_FALSE(members.admits_answer(answer));
}

/// A frame from worker 1 to worker 2 of job 7.
Frame among_workers(FrameKind kind) {
  Frame frame;
  frame.fields = FlowFields();
  frame.kind = kind;
  frame.job = 7;
  frame.worker = 1;
  frame.source = 21;
  frame.destination = 22;
  return frame;
}

MemberTable table_among_workers() {
  MemberTable members = table();
  members.install_among_workers(7, {20, 21, 22});
  return members;
}

TEST(MemberTable, WorkersOfARingSendEachOtherFromAnySwitch) {
  const MemberTable members = table_among_workers();
  EXPECT_FALSE(members.is_without_server(7));
  for (const auto kind : {FrameKind::gradient, FrameKind::result, FrameKind::acknowledgement}) {
    const Frame frame = among_workers(kind);
    EXPECT_TRUE(members.admits(frame, 21));
    EXPECT_TRUE(members.admits_from_switch(frame));
    EXPECT_FALSE(members.admits(frame, 20));
  }
}

TEST(MemberTable, WorkersOfARingSendNothingElseAndNobodyElse) {
  const MemberTable members = table_among_workers();
  const auto refuses = [&](const std::function<void(Frame&)>& forge) {
    Frame frame = among_workers(FrameKind::gradient);
    forge(frame);
    return !members.admits(frame, frame.source) && !members.admits_from_switch(frame);
  };
  EXPECT_TRUE(refuses([](Frame& frame) { frame.kind = FrameKind::release; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.worker = 2; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.worker = 3; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.source = 23; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.destination = 21; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.destination = 19; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.destination = 23; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.destination = kAllWorkers; }));
  EXPECT_TRUE(refuses([](Frame& frame) { frame.job = kJob; }));
}

TEST(MemberTable, AJobThatIsRemovedHasNoMembers) {
  MemberTable members = table();
  members.remove(kJob);
  EXPECT_FALSE(members.admits(from_worker(FrameKind::gradient), 6));
  members.remove(200);
  Frame partial = from_worker(FrameKind::gradient);
  partial.set(flag::partial);
  for (const HostId destination : {kServer, kAllWorkers}) {
    partial.destination = destination;
    EXPECT_FALSE(members.admits_from_switch(partial));
  }
}

/// A simulated host may construct any frame, even one that the codec cannot.
TEST(MemberTable, RefusesFramesOfOtherFormatsInJobsWithServers) {
  const MemberTable members = table();
  const FormatFields others[] = {SwitchmlFields(), FlowFields()};
  for (const FormatFields& fields : others) {
    for (const auto kind : {FrameKind::gradient, FrameKind::notification, FrameKind::release}) {
      Frame frame = from_worker(kind);
      frame.fields = fields;
      EXPECT_FALSE(members.admits(frame, 6));
    }
    for (const std::uint8_t flags : {flag::partial, flag::resend}) {
      Frame sum = from_worker(FrameKind::gradient);
      sum.set(flags);
      EXPECT_TRUE(members.admits_from_switch(sum));
      sum.fields = fields;
      EXPECT_FALSE(members.admits_from_switch(sum));
      EXPECT_EQ(members.origin_of(sum), sum.source);
    }
  }
}

}  // namespace
}  // namespace ina::programs
