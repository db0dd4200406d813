// A program whose goroutines switch all the time between a short chain of calls and a long one, while
// their stacks grow, shrink and move: what a torn copy of a stack would show.
//
//	churn WORKERS
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

//go:noinline
func short1(c chan int) int { return short2(c) + 1 }

//go:noinline
func short2(c chan int) int { return <-c }

//go:noinline
func long1(c chan int) int { var room [700]byte; return long2(c, &room) + int(room[1]) }

//go:noinline
func long2(c chan int, up *[700]byte) int { var room [900]byte; return long3(c, &room) + int(up[1]+room[2]) }

//go:noinline
func long3(c chan int, up *[900]byte) int { var room [800]byte; return long4(c, &room) + int(up[1]+room[3]) }

//go:noinline
func long4(c chan int, up *[800]byte) int { var room [600]byte; room[4] = up[1]; return <-c + int(room[4]) }

func work(c chan int) {
	for {
		short1(c)
		long1(c)
	}
}

func main() {
	workers, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	c := make(chan int)
	for i := 0; i < workers; i++ {
		go work(c)
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
	fmt.Println("ready")
	// Whoever asks is answered, unless the program hangs.
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(lines.Text())
	}
}
