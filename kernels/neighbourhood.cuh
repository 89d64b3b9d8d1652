// The cells around a cell that exchange water with it: the twin of src/engine/neighbourhood.rs.
#pragma once

#ifndef NEIGHBOURS
#error "NEIGHBOURS is 4 (von Neumann) or 8 (Moore)"
#endif

constexpr int FAMILIES = NEIGHBOURS / 2;

// Columns and rows to the cell ahead, per edge family: east, south, south-east, south-west.
__device__ constexpr int ahead_columns(int family)
{
    return family == 0 ? 1 : family == 1 ? 0 : family == 2 ? 1 : -1;
}
__device__ constexpr int ahead_rows(int family) { return family == 0 ? 0 : 1; }

// Columns and rows to neighbour k: even numbers are the cells ahead, odd ones the cells behind.
__device__ constexpr int offset_columns(int k)
{
    return k % 2 == 0 ? ahead_columns(k / 2) : -ahead_columns(k / 2);
}
__device__ constexpr int offset_rows(int k)
{
    return k % 2 == 0 ? ahead_rows(k / 2) : -ahead_rows(k / 2);
}
