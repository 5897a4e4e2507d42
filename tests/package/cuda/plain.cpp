/* plain.cpp - no CUDA, in the same library. */
// SPDX-License-Identifier: BSD-3-Clause
int plain(int v)
{
    return v;
}
