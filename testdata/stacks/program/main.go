// Workers that wait for requests. Built without inlining (-gcflags=-l), a parked worker has no more on
// its stack than its own loop; with it, what parse needs is part of that loop's frame, whether parse runs
// or not.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

var requests = make(chan string)

func parse(request string) int {
	var room [1600]byte
	n := copy(room[:], request)
	return int(room[n/2])
}

//go:noinline
func worker() {
	for request := range requests {
		println(parse(request))
	}
}

func main() {
	for i := 0; i < 30; i++ {
		go worker()
	}
	time.Sleep(50 * time.Millisecond)
	for i := 0; i < 5; i++ {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Fprintf(os.Stderr, "StackInuse = %d\n", stats.StackInuse)
	panic("look at the stacks")
}
