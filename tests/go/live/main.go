// A program whose goroutines wait in all the ways that there are. It writes its own debug=2 dump to the
// file that is named first for each byte that it reads from stdin, and says so on stdout. A signal would
// not do: it wakes os/signal's goroutine, which then isn't parked in the dump.
//
//	live DUMP GOROUTINES
package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type pair struct {
	name  string
	count int
}

type stack[T any] struct{ items []T }

//go:noinline
func (s *stack[T]) waitOn(c chan T, item T, more pair) T {
	s.items = append(s.items, item)
	return <-c
}

type waiter interface{ wait(c chan int, a, b, d int) }
type inner struct{ n int }
type outer struct{ *inner }

//go:noinline
func (i *inner) wait(c chan int, a, b, d int) { c <- a + b + d + i.n }

//go:noinline
func deep(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	return deep(n-1, c) + n
}

func small(c chan int) int    { return smaller(c) + 1 }
func smaller(c chan int) int  { return smallest(c) + 1 }
func smallest(c chan int) int { return <-c }

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k int, s string, p *pair, m chan int) int {
	return a + b + c + d + e + f + g + h + i + j + k + len(s) + p.count + <-m
}

func recovered(c chan int) {
	defer func() {
		if recover() != nil {
			<-c
		}
	}()
	var nothing *pair
	fmt.Println(nothing.count)
}

func panicked(c chan int) {
	defer func() { <-c; recover() }()
	panic("gone")
}

func main() {
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var held sync.Mutex
	held.Lock()
	var shared sync.RWMutex
	shared.Lock()
	var group sync.WaitGroup
	group.Add(1)
	condition := sync.NewCond(&sync.Mutex{})
	never := make(chan int)
	var none chan int
	var once sync.Once
	go once.Do(func() { <-never })
	go func() { held.Lock() }()
	go func() { shared.Lock() }()
	go func() { shared.RLock() }()
	go func() { group.Wait() }()
	go func() { condition.L.Lock(); condition.Wait() }()
	go func() { <-none }()
	go func() { none <- 1 }()
	go func() { select {} }()
	go func() {
		select {
		case <-never:
		case never <- 1:
		case <-time.After(time.Hour):
		}
	}()
	go func() { time.Sleep(time.Hour) }()
	go deep(30, never)
	go deep(150, never)
	go small(never)
	go many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "text", &pair{"a", 1}, never)
	go recovered(never)
	go panicked(never)
	go (&stack[int]{}).waitOn(never, 7, pair{"b", 2})
	go (&stack[string]{}).waitOn(make(chan string), "x", pair{"c", 3})
	var it waiter = outer{&inner{5}}
	go it.wait(never, 1, 2, 3)
	method := it.wait
	go method(never, 4, 5, 6)
	go func() { runtime.LockOSThread(); <-never }()
	pprof.Do(context.Background(), pprof.Labels("user", "a b", "job", "x/1"), func(context.Context) {
		go func() { <-never }()
	})
	go func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		listener.Accept()
	}()
	ends := make([]int, 2)
	syscall.Pipe(ends)
	go func() { syscall.Read(ends[0], make([]byte, 1)) }()
	inC()
	for i := 0; i < count; i++ {
		go func(i int) { deep(i%7, never) }(i)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	time.Sleep(300 * time.Millisecond)
	fmt.Println("ready")
	for asked := make([]byte, 1); ; {
		if read, _ := syscall.Read(0, asked); read == 0 {
			return
		}
		var dump bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&dump, 2)
		os.WriteFile(os.Args[1], dump.Bytes(), 0o644)
		fmt.Println("dumped")
	}
}
