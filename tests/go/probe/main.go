// A program with every kind of frame that a Go binary's tables describe: inlined calls, closures,
// wrappers, generic functions, large and small frames, assembly. agreement.py builds it, runs it and
// compares what it prints of itself with what its tables say.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

var (
	forever = make(chan int)
	started sync.WaitGroup
	sink    interface{}
	sum     int
)

//go:noinline
func park() {
	started.Done()
	<-forever
}

// Inlined into each other, three deep.
func outer(n int) int  { return middle(n+1) + 1 }
func middle(n int) int { return inner(n*2) + 2 }
func inner(n int) int {
	if n > 0 {
		park()
	}
	return n
}

//go:noinline
func frame128(n int) byte {
	var room [128]byte
	room[n&127] = 1
	park()
	return room[(n+1)&127]
}

//go:noinline
func frame3000(n int) byte {
	var room [3000]byte
	room[n%3000] = 1
	park()
	return room[(n+1)%3000]
}

//go:noinline
func frame64K(n int) byte {
	var room [65536]byte
	room[n&65535] = 1
	park()
	return room[(n+1)&65535]
}

//go:noinline
func recurse(n int) int {
	if n == 0 {
		park()
		return 0
	}
	return recurse(n-1) + 1
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

//go:noinline
func (p *pair[K, V]) wait(n int) V {
	if n > 0 {
		park()
	}
	return p.value
}

func mapped[T, U any](in []T, f func(T) U) []U {
	var out []U
	for _, one := range in {
		out = append(out, f(one))
	}
	return out
}

type waiter interface{ wait(int) int }

type base struct{ n int }

//go:noinline
func (b base) wait(n int) int {
	park()
	return b.n + n
}

type derived struct {
	name string
	base
}

//go:noinline
func deferred() {
	defer func() {
		if recover() != nil {
			park()
		}
	}()
	panic("parked in a deferred call")
}

func spawn(f func()) {
	started.Add(1)
	go f()
}

func start(each int) {
	started.Add(each * 4)
	for i := 0; i < each; i++ {
		i := i
		spawn(func() { sum += outer(i + 1) })
		spawn(func() { frame128(i) })
		spawn(func() { frame3000(i) })
		spawn(func() { recurse(i % 40) })
		spawn(func() { (&pair[string, int]{"a", i}).wait(1) })
		spawn(func() { (&pair[int, []string]{i, nil}).wait(1) })
		spawn(func() {
			mapped([]int{i}, func(n int) string { park(); return fmt.Sprint(n) })
		})
		spawn(func() { sort.Slice([]int{2, 1}, func(a, b int) bool { park(); return a < b }) })
		spawn(deferred)
		go recurse(i % 7)
		go frame128(i)
		var w waiter = &derived{"d", base{i}}
		go w.wait(i)
		go base{i}.wait(2)
	}
	started.Add(3)
	for i := 0; i < 3; i++ {
		go frame64K(i)
	}
	started.Add(3)
	for _, deep := range []int{100, 250, 1000} {
		go recurse(deep)
	}
	started.Wait()
	for range [3]int{} {
		time.Sleep(20 * time.Millisecond)
		runtime.GC()
	}
}

func busy(until time.Time) {
	for time.Now().Before(until) {
		var words []string
		for i := 0; i < 400; i++ {
			words = append(words, fmt.Sprint(i*7919%1000))
		}
		sort.Strings(words)
		text, _ := json.Marshal(map[string]interface{}{"a": words, "b": []pair[string, int]{{"x", 1}}})
		var back map[string]interface{}
		json.Unmarshal(text, &back)
		sink = strings.Repeat(string(text), 3)
	}
}

func contend() {
	var lock sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for n := 0; n < 20; n++ {
				lock.Lock()
				time.Sleep(200 * time.Microsecond)
				lock.Unlock()
			}
		}()
	}
	done.Wait()
}

// profiles writes every profile as text and as a proto.
func profiles(dir string) {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	cpu, err := os.Create(filepath.Join(dir, "cpu.pb.gz"))
	must(err)
	must(pprof.StartCPUProfile(cpu))
	start(20)
	contend()
	busy(time.Now().Add(600 * time.Millisecond))
	pprof.StopCPUProfile()
	must(cpu.Close())
	net.Dial("tcp", "127.0.0.1:1")
	for _, name := range []string{"goroutine", "heap", "allocs", "block", "mutex", "threadcreate"} {
		for debug, ext := range map[int]string{0: "pb.gz", 1: "txt"} {
			var out bytes.Buffer
			must(pprof.Lookup(name).WriteTo(&out, debug))
			must(os.WriteFile(filepath.Join(dir, name+"."+ext), out.Bytes(), 0o666))
		}
	}
}

type tree struct{ left *tree }

//go:noinline
func dereference(t *tree) *tree { return t.left.left }

//go:noinline
func overflow(n int) int { return overflow(n+1) + overflow(n+2) }

func crash(kind string) {
	start(2)
	switch kind {
	case "nil":
		sink = dereference(&tree{})
	case "map":
		var none map[string]int
		none["a"] = 1
	case "index":
		sort.Slice([]int{3, 2, 1}, func(a, b int) bool { return []int{1}[a+b] > 0 })
	case "repeat":
		sink = strings.Repeat("a", -1)
	case "overflow":
		sum = overflow(0)
	case "error":
		panic(fmt.Errorf("an error"))
	case "generic":
		mapped([]string{"a"}, func(string) pair[int, error] { panic("in a generic function") })
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func main() {
	switch os.Args[1] {
	case "profiles":
		profiles(os.Args[2])
	case "panic":
		crash(os.Args[2])
	case "wait":
		start(60)
		fmt.Println("ready")
		os.Stdin.Read(make([]byte, 1))
	}
}
