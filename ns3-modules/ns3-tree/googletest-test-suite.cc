/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Within an ns-3 tree, the GoogleTest tests of a module form a test suite of ns-3, with each test
// as a test case. They run in the process of test-runner, so that its options, valgrind (test.py
// -g) and debuggers apply to them.

#include "ns3/test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Duration = TestCase::Duration;

/** A GoogleTest suite whose tests are not quick. */
struct SlowSuite
{
    std::string module; //!< Its module.
    std::string name;   //!< Its name, without the instance of a parameterised suite.
    Duration duration;  //!< How long its tests take.
};

/**
 * All other suites are quick. Extensive are suites with a test of more than a second in ns-3's
 * default profile. Closed forms of up to a thousand workers take ten seconds and more.
 */
const std::vector<SlowSuite> SLOW_SUITES{
    {"ina-cluster", "HalvingDoublingRun", Duration::EXTENSIVE},
    {"ina-cluster", "PriorityCode", Duration::EXTENSIVE},
    {"ina-cluster", "PriorityCodeTest", Duration::EXTENSIVE},
    {"ina-cluster", "RealFactorsTest", Duration::EXTENSIVE},
    {"ina-cluster", "RingClosedFormOfRacks", Duration::EXTENSIVE},
    {"ina-cluster", "TrafficOfSystem", Duration::EXTENSIVE},
    {"ina-cluster", "TreeRun", Duration::EXTENSIVE},
    {"ina-cluster", "UnequalLinksTest", Duration::EXTENSIVE},
    {"ina-cluster", "WideJobsRunTest", Duration::EXTENSIVE},
    {"ina-traffic", "TrafficOverloadTest", Duration::EXTENSIVE},
    {"ina-cluster", "ClosedFormTest", Duration::TAKES_FOREVER},
    {"ina-cluster", "PsClosedForm", Duration::TAKES_FOREVER},
    {"ina-cluster", "RingClosedForm", Duration::TAKES_FOREVER},
};

/**
 * \param [in] test A test.
 * \returns The name of its suite, without the instance <instance>/ of a parameterised one.
 */
std::string
SuiteOf(const testing::TestInfo& test)
{
    const std::string name = test.test_suite_name();
    return name.substr(name.find('/') + 1);
}

/**
 * \param [in] module A module.
 * \param [in] suite A suite of the module.
 * \returns How long its tests take.
 */
Duration
DurationOf(const std::string& module, const std::string& suite)
{
    for (const SlowSuite& slow : SLOW_SUITES)
    {
        if (slow.module == module && slow.name == suite)
        {
            return slow.duration;
        }
    }
    return Duration::QUICK;
}

/**
 * Initializes GoogleTest. Parameterised tests do not exist before. The static objects of GoogleTest
 * and of the test files have to be constructed before as well. They are, because they are in a
 * library that this one is linked with.
 *
 * \returns All GoogleTest tests.
 */
std::vector<const testing::TestInfo*>
InitializeGoogleTest()
{
    testing::InitGoogleTest();
    const auto& program = *testing::UnitTest::GetInstance();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer()); // the test runner reports
    std::vector<const testing::TestInfo*> tests;
    for (int suite = 0; suite < program.total_test_suite_count(); ++suite)
    {
        const auto& tested = *program.GetTestSuite(suite);
        for (int test = 0; test < tested.total_test_count(); ++test)
        {
            tests.push_back(tested.GetTestInfo(test));
        }
    }
    return tests;
}

/** A GoogleTest test. */
class GoogleTestCase : public TestCase, private testing::EmptyTestEventListener
{
  public:
    /**
     * \param [in] name The name of the test in GoogleTest's filters.
     */
    explicit GoogleTestCase(const std::string& name) : TestCase(WithoutSlashes(name)), m_name(name)
    {
    }

  private:
    /**
     * \param [in] name The name of a test, with slashes if the test is parameterised.
     * \returns A name that ns-3 accepts.
     */
    static std::string
    WithoutSlashes(std::string name)
    {
        std::replace(name.begin(), name.end(), '/', ':');
        return name;
    }

    void
    DoRun() override
    {
        GTEST_FLAG_SET(filter, m_name);
        GTEST_FLAG_SET(break_on_failure, MustAssertOnFailure());
        auto& program = *testing::UnitTest::GetInstance();
        program.listeners().Append(this);
        const int status = RUN_ALL_TESTS();
        program.listeners().Release(this);
        NS_TEST_EXPECT_MSG_EQ(program.test_to_run_count(), 1, m_name << " is not one test");
        NS_TEST_EXPECT_MSG_EQ((status == 0), IsStatusSuccess(), m_name << " fails elsewhere");
    }

    void
    OnTestPartResult(const testing::TestPartResult& result) override
    {
        if (result.failed())
        {
            const char* file = result.file_name(); // unknown if an exception was thrown
            ReportTestFailure(m_name,
                              "failed",
                              "passed",
                              result.message(),
                              file == nullptr ? "" : file,
                              result.line_number());
        }
    }

    std::string m_name; //!< Name of the test in GoogleTest's filters.
};

/** The tests of a module. */
class ModuleTestSuite : public TestSuite
{
  public:
    /**
     * \param [in] module The module.
     * \param [in] type Unit or system tests.
     */
    ModuleTestSuite(const std::string& module, Type type) : TestSuite(module, type)
    {
        static const auto TESTS = InitializeGoogleTest();
        const std::string folder = "/" + module + "/test/";
        for (const testing::TestInfo* test : TESTS)
        {
            if (std::string(test->file()).find(folder) != std::string::npos)
            {
                const std::string suite = SuiteOf(*test);
                const std::string name = test->test_suite_name() + std::string(".") + test->name();
                AddTestCase(new GoogleTestCase(name), DurationOf(module, suite));
                m_suites.insert(suite);
            }
        }
    }

  private:
    void
    DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(m_suites.empty(), false, "no tests of " << GetName());
        for (const SlowSuite& slow : SLOW_SUITES)
        {
            if (slow.module == GetName())
            {
                NS_TEST_EXPECT_MSG_EQ(m_suites.count(slow.name), 1, "no suite " << slow.name);
            }
        }
    }

    std::set<std::string> m_suites; //!< The GoogleTest suites of the tests.
};

ModuleTestSuite g_inaNetworkTestSuite("ina-network", TestSuite::Type::UNIT);
ModuleTestSuite g_inaHostsTestSuite("ina-hosts", TestSuite::Type::UNIT);
ModuleTestSuite g_inaTrafficTestSuite("ina-traffic", TestSuite::Type::UNIT);
ModuleTestSuite g_inaClusterTestSuite("ina-cluster", TestSuite::Type::SYSTEM);

} // namespace
