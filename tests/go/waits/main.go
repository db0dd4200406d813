// A program with a goroutine for each kind of thing that one can wait for. It prints what each waits for:
// the name of its function, and addresses.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

type store struct {
	name  string
	mutex sync.Mutex
	rw    sync.RWMutex
	group sync.WaitGroup
	cond  *sync.Cond
}

//go:noinline
func receives(c chan int) { <-c }

//go:noinline
func sends(c chan int) { c <- 1 }

//go:noinline
func ranges(c chan store) {
	for range c {
	}
}

//go:noinline
func selects(a, b chan int, c chan string) {
	select {
	case <-a:
	case b <- 1:
	case <-c:
	}
}

//go:noinline
func locks(s *store) { s.mutex.Lock() }

//go:noinline
func reads(s *store) { s.rw.RLock() }

//go:noinline
func writes(s *store) { s.rw.Lock() }

//go:noinline
func writesAfter(s *store) { s.rw.Lock() }

//go:noinline
func waits(s *store) { s.group.Wait() }

//go:noinline
func awaits(s *store) {
	s.cond.L.Lock()
	s.cond.Wait()
}

func pointers(all ...any) string {
	var texts []string
	for _, one := range all {
		texts = append(texts, fmt.Sprintf("%p", one))
	}
	return strings.Join(texts, " ")
}

// parked returns once all but the one that calls it wait.
func parked() {
	text := make([]byte, 1<<20)
	for {
		all := string(text[:runtime.Stack(text, true)])
		if strings.Count(all, " [running")+strings.Count(all, " [runnable") == 1 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func main() {
	s := &store{name: "s", cond: sync.NewCond(&sync.Mutex{})}
	s.mutex.Lock()
	s.group.Add(1)
	s.rw.RLock()
	one, two, three, four := make(chan int), make(chan int), make(chan int), make(chan int)
	texts, stores := make(chan string), make(chan store)
	// 20 who wait for one thing, and somebody who waits in between.
	for i := 0; i < 20; i++ {
		go receives(one)
		go locks(s)
	}
	go sends(two)
	go ranges(stores)
	go selects(three, four, texts)
	go waits(s)
	go awaits(s)
	go writes(s)
	parked()
	go reads(s)
	go writesAfter(s)
	fmt.Println("receives", pointers(one))
	fmt.Println("sends", pointers(two))
	fmt.Println("ranges", pointers(stores))
	fmt.Println("selects", pointers(three, four, texts))
	fmt.Println("locks", pointers(&s.mutex))
	fmt.Println("writes", pointers(&s.rw))
	fmt.Println("writesAfter", pointers(&s.rw))
	fmt.Println("reads", pointers(&s.rw))
	fmt.Println("waits", pointers(&s.group))
	fmt.Println("awaits", pointers(s.cond))
	parked()
	fmt.Println("ready")
	io.ReadAll(os.Stdin)
}
