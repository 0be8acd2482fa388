/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRAINING_WORKER_H
#define INA_TRAINING_WORKER_H

#include "hw/cluster/random_stream.hpp"
#include "hw/cluster/training/training_worker.hpp"

#include "ns3/ina-worker-application.h"
#include "ns3/nstime.h"

#include <limits>

namespace ns3
{

class InaTrainingJob;

/**
 * \ingroup ina-cluster
 * An ina::cluster::TrainingWorker that uses an InaWorkerApplication.
 */
class InaTrainingWorker : private ina::cluster::TrainingWorld, public ina::cluster::TrainingWorker
{
  public:
    InaTrainingWorker(InaTrainingJob& job, uint16_t rank, const ina::cluster::RandomStream& random);

    void Install(const Ptr<InaWorkerApplication>& application);
    /**
     * Begins iteration `iteration` at time step `startTs`, from PSN 0, with the job's current
     * gradients. Discards the state of all earlier work.
     */
    void Begin(uint32_t iteration, int64_t startTs);

    InaWorkerApplication& GetApplication() const;

    /** Makes the application handle frames when the simulator's clock shows their time. */
    void KeepToClock();

  private:
    void fragment_complete(const ina::Frame& result,
                           const ina::Delivery& delivery,
                           ina::Time now) override;
    void tensor_complete(ina::Psn firstPsn, ina::Time now) override;
    void submit(const ina::Tensor& tensor, ina::Time now) override;
    ina::Time serialisation(uint32_t bytes) const override;
    ina::Time draw(ina::Time low, ina::Time high) override;
    void iteration_started(uint32_t iteration, ina::Time now) override;
    void partition_submitted(uint32_t iteration, std::size_t partition, ina::Time now) override;
    ina::Time last_submitted(uint32_t iteration, std::size_t partition) const override;
    void iteration_ended(uint32_t iteration, const ina::cluster::WorkerIteration& ended) override;
    void computes(uint32_t iteration,
                  ina::cluster::Pass pass,
                  std::size_t layer,
                  ina::Time begin,
                  ina::Time end) override;
    void partition_completed(uint32_t iteration, std::size_t partition, ina::Time now) override;

    /** Puts the worker's next deadline on the host's agenda, unless it is there already. */
    void PlanNext();

    InaTrainingJob& m_job;
    uint16_t m_rank;
    Ptr<InaWorkerApplication> m_application;
    ina::cluster::RandomStream m_random;
    int64_t m_plannedTs{std::numeric_limits<int64_t>::max()}; //!< time of the latest agenda entry
};

} // namespace ns3

#endif // INA_TRAINING_WORKER_H
