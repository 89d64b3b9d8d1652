// Functions of three bits, each of which compiles to one instruction.
#pragma once

template <class W>
static __device__ __forceinline__ W xor3(W a, W b, W c) { return a ^ b ^ c; }
template <class W>
static __device__ __forceinline__ W majority(W a, W b, W c) { return (a & b) | (c & (a | b)); }
template <class W>
static __device__ __forceinline__ W choose(W which, W a, W b) { return (which & a) | (~which & b); }

// The same number in every byte.
template <class W>
static __device__ __forceinline__ W bytes(int byte) { return (W)((W) ~(W)0 / 255 * (W)byte); }
// 1 in the bytes that are 0, else 0, if all are below 128.
template <class W>
static __device__ __forceinline__ W zero_bytes(W x) { return (((x + bytes<W>(0x7f)) >> 7) & bytes<W>(1)) ^ bytes<W>(1); }
// All bits of the bytes that are 1.
template <class W>
static __device__ __forceinline__ W spread(W x) { return (W)(x * 255); }
