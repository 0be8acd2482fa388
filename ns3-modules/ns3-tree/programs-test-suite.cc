/* SPDX-License-Identifier: GPL-2.0-only */
// In an ns-3 tree: each of the module's test programs is a suite of ns-3, and so is each example.

#include "ns3/test.h"

#include <cstdlib>
#include <list>
#include <string>

using namespace ns3;

namespace
{

/** A program that tests, or an example whose output has to be what a file says. */
struct Program
{
    std::string name;
    std::string path;
    std::string expected; //!< the file; "" of a test
};

const Program PROGRAMS[] = {
#include "ina-programs.h"
};

class ProgramTestCase : public TestCase
{
  public:
    explicit ProgramTestCase(const Program& program) : TestCase(program.path), m_program(program) {}

  private:
    void
    DoRun() override
    {
        const std::string path = "'" + m_program.path + "'";
        const std::string command = m_program.expected.empty()
                                        ? path
                                        : "output=$(" + path +
                                              ") && printf '%s\\n' \"$output\" | diff -u '" +
                                              m_program.expected + "' -";
        NS_TEST_ASSERT_MSG_EQ(std::system(command.c_str()), 0, command);
    }

    Program m_program;
};

class ProgramTestSuite : public TestSuite
{
  public:
    explicit ProgramTestSuite(const Program& program) :
        TestSuite(program.name, program.expected.empty() ? Type::UNIT : Type::EXAMPLE)
    {
        AddTestCase(new ProgramTestCase(program));
    }
};

std::list<ProgramTestSuite>
MakeSuites()
{
    std::list<ProgramTestSuite> suites;
    for (const Program& program : PROGRAMS)
    {
        suites.emplace_back(program);
    }
    return suites;
}

const std::list<ProgramTestSuite> SUITES = MakeSuites();

} // namespace
