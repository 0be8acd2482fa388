/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SHARED_ARRAY_H
#define INA_SHARED_ARRAY_H

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>
#include <type_traits>

namespace ns3
{

/** Objects in memory that this process shares with all processes that it forks later. */
template <class T>
class SharedArray
{
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    explicit SharedArray(std::size_t count) : m_bytes(count * sizeof(T))
    {
        void* const memory =
            mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
        {
            throw std::system_error(errno, std::generic_category(), "no memory for the progress");
        }
        m_first = static_cast<T*>(memory);
        std::uninitialized_value_construct_n(m_first, count);
    }

    ~SharedArray()
    {
        munmap(m_first, m_bytes);
    }

    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;

    T&
    operator[](std::size_t index)
    {
        return m_first[index];
    }

    const T&
    operator[](std::size_t index) const
    {
        return m_first[index];
    }

  private:
    std::size_t m_bytes;
    T* m_first;
};

} // namespace ns3

#endif // INA_SHARED_ARRAY_H
