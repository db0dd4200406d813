// A program that notices when it stands still: a goroutine on a thread of its own looks at the clock all the
// time. "start" forgets what was noticed, "gap" tells the longest time since between two looks, in
// nanoseconds, "dump" makes the debug=2 text.
//
//	pauses GOROUTINES THREADS
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

var longest, looks atomic.Int64

func look() {
	runtime.LockOSThread()
	start := time.Now()
	last := time.Since(start)
	for {
		now := time.Since(start)
		if gap := int64(now - last); gap > longest.Load() {
			longest.Store(gap)
		}
		last = now
		looks.Add(1)
	}
}

//go:noinline
func deep(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	return deep(n-1, c) + n
}

func number(at int) int {
	number, err := strconv.Atoi(os.Args[at])
	if err != nil {
		panic(err)
	}
	return number
}

func main() {
	goroutines, threads := number(1), number(2)
	never := make(chan int)
	for i := 0; i < goroutines; i++ {
		go deep(i%7, never)
	}
	for i := 0; i < threads; i++ {
		go func() {
			var ends [2]int
			if err := syscall.Pipe(ends[:]); err != nil {
				panic(err)
			}
			syscall.Read(ends[0], make([]byte, 1))
		}()
	}
	go look()
	time.Sleep(time.Second)
	runtime.GC()
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "start":
			longest.Store(0)
			fmt.Println("started")
		case "gap":
			// It may stand still to this moment.
			for before := looks.Load(); looks.Load() == before; {
				time.Sleep(10 * time.Microsecond)
			}
			fmt.Println(longest.Load())
		case "dump":
			var dump bytes.Buffer
			pprof.Lookup("goroutine").WriteTo(&dump, 2)
			fmt.Println(dump.Len())
		}
	}
}
