#include "ns3/cluster-run.h"
#include "ns3/experiment.h"
#include <fmt/format.h>
using namespace ns3;
int main(int argc, char** argv)
{
    std::vector<std::string> o(argv + 2, argv + argc);
    auto e = ReadExperiment(argv[1], o);
    for (auto& p : e.points) {
        ClusterRun run(p.scenario);
        auto r = run.Run();
        double jct=0; uint64_t f=0,pr=0,rt=0; for(auto&j:r.jobs){ for(auto& i:j.iterations) jct+=double(i.end-i.start)/1e9; f+=j.fallbacks;pr+=j.preemptions;rt+=j.retransmissions;}
        fmt::print("jct {:.4f} ms hops {} cpu {:.3f} ns/hop {:.1f} fallbacks {} preempt {} retx {}\n", jct/double(r.jobs.size()*r.jobs[0].iterations.size()), r.packetHops, r.cpuSeconds, r.cpuSeconds*1e9/double(r.packetHops),f,pr,rt);
        for (auto& j : r.jobs) { auto& i=j.iterations.back(); fmt::print("  job {} iter0 {:.4f}: comp {:.3f} ser {:.3f} q {:.3f} slot {:.3f} str {:.3f} fb {:.3f} rec {:.3f}\n", &j-&r.jobs[0], double(i.end-i.start)/1e9, double(i.parts.compute)/1e9,double(i.parts.serialisation)/1e9,double(i.parts.queueing)/1e9,double(i.parts.slotWait)/1e9,double(i.parts.straggler)/1e9,double(i.parts.fallback)/1e9,double(i.parts.recovery)/1e9);}
    }
}
