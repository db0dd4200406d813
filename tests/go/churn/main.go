// A program whose goroutines switch all the time between a short chain of calls and a long one, while
// their stacks grow, shrink and move: what a torn copy of a stack would show.
//
// With "calls", they make system calls from two chains of equal depth in turn: from Go 1.26 on nothing in a
// goroutine counts those.
//
//	churn WORKERS [calls]
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

//go:noinline
func short1(c chan int) int { return short2(c) + 1 }

//go:noinline
func short2(c chan int) int { return <-c }

//go:noinline
func long1(c chan int) int { var room [700]byte; return long2(c, &room) + int(room[1]) }

//go:noinline
func long2(c chan int, up *[700]byte) int {
	var room [900]byte
	return long3(c, &room) + int(up[1]+room[2])
}

//go:noinline
func long3(c chan int, up *[900]byte) int {
	var room [800]byte
	return long4(c, &room) + int(up[1]+room[3])
}

//go:noinline
func long4(c chan int, up *[800]byte) int {
	var room [600]byte
	room[4] = up[1]
	return <-c + int(room[4])
}

// started counts the workers that run: one that doesn't yet has a stack of the runtime alone.
var started atomic.Int64

func work(c chan int) {
	started.Add(1)
	for {
		short1(c)
		long1(c)
	}
}

//go:noinline
func write(fd int, room *[4096]byte) {
	var one [1]byte
	syscall.Write(fd, one[:])
	room[0] = one[0]
}

//go:noinline
func inA(fd int, up *[4096]byte) { var room [4096]byte; write(fd, &room); up[1] = room[0] }

//go:noinline
func inB(fd int, up *[4096]byte) { var room [4096]byte; write(fd, &room); up[2] = room[0] }

//go:noinline
func outA(fd int) int { var room [4096]byte; inA(fd, &room); return int(room[1]) }

//go:noinline
func outB(fd int) int { var room [4096]byte; inB(fd, &room); return int(room[2]) }

func call() {
	fd, err := syscall.Open("/dev/null", syscall.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	started.Add(1)
	for {
		outA(fd)
		outB(fd)
	}
}

func main() {
	workers, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	c := make(chan int)
	calls := len(os.Args) > 2 && os.Args[2] == "calls"
	for i := 0; i < workers; i++ {
		if calls {
			go call()
		} else {
			go work(c)
		}
	}
	go func() {
		for {
			c <- 1
		}
	}()
	go func() {
		for {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	for started.Load() < int64(workers) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	// Whoever asks is answered, unless the program hangs.
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(lines.Text())
	}
}
