// Package report adds up what was sold.
package report

import (
	"runtime"
	"time"
)

// Region is a part of the market, with its parts.
type Region struct {
	depth int
	sums  chan int
}

// Sales adds up a deep tree of regions whose last leaf never answers.
func Sales(depth int) int {
	region := Region{depth: depth, sums: make(chan int)}
	return region.sum()
}

//go:noinline
func (region Region) sum() int {
	if region.depth == 0 {
		return <-region.sums
	}
	return 1 + Region{depth: region.depth - 1, sums: region.sums}.sum()
}

// Pinned stays on its thread.
func Pinned() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	time.Sleep(time.Hour)
}

// Never waits for nothing at all.
func Never() { select {} }

// Nothing sends where nobody can receive.
func Nothing() {
	var out chan<- int
	out <- 1
}

// Crunch never leaves its processor.
func Crunch() {
	for sum := uint64(0); ; sum++ {
	}
}
