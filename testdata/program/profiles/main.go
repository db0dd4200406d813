// Command profiles does a little of everything that profiles measure, and writes all of them.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"
)

var dir = flag.String("dir", ".", "write the profiles into this directory")

// carts is a profile of this program's own: one entry for each open cart.
var carts = pprof.NewProfile("shop/carts")

// held keeps what the heap profile shall show as in use.
var held [][]byte

func main() {
	flag.Parse()
	runtime.MemProfileRate = 4096
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	var cpu bytes.Buffer
	if err := pprof.StartCPUProfile(&cpu); err != nil {
		log.Fatal(err)
	}
	for _, tenant := range []string{"acme", "globex"} {
		pprof.Do(context.Background(), pprof.Labels("tenant", tenant), func(context.Context) { search() })
	}
	pprof.StopCPUProfile()
	fill()
	contend()
	for cart := 0; cart < 7; cart++ {
		open(cart)
	}
	runtime.GC()
	write("cpu.debug0.pb.gz", cpu.Bytes())
	for _, name := range []string{"heap", "allocs", "block", "mutex", "threadcreate", "shop/carts"} {
		for debug, suffix := range []string{"debug0.pb.gz", "debug1.txt"} {
			var out bytes.Buffer
			if err := pprof.Lookup(name).WriteTo(&out, debug); err != nil {
				log.Fatal(err)
			}
			write(fmt.Sprintf("%s.%s", filepath.Base(name), suffix), out.Bytes())
		}
	}
}

func write(name string, profile []byte) {
	if err := os.WriteFile(filepath.Join(*dir, name), profile, 0o666); err != nil {
		log.Fatal(err)
	}
}

// search keeps a processor busy.
func search() {
	shelf := strings.Repeat("teapot ", 1000)
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		count(shelf)
	}
}

func count(shelf string) (found int) {
	for _, word := range strings.Fields(shelf) {
		if strings.EqualFold(word, "TEAPOT") {
			found++
		}
	}
	return found
}

// fill allocates what stays and what doesn't.
func fill() {
	for size := 512; size < 512+64; size++ {
		held = append(held, page(size), page(64))
		page(2 * size)
	}
}

//go:noinline
func page(size int) []byte { return make([]byte, size) }

// contend lets goroutines wait for a lock and for a channel.
func contend() {
	var lock sync.Mutex
	var all sync.WaitGroup
	done := make(chan bool)
	for buyer := 0; buyer < 4; buyer++ {
		all.Add(1)
		go func() {
			defer all.Done()
			pay(&lock)
			<-done
		}()
	}
	time.Sleep(50 * time.Millisecond)
	close(done)
	all.Wait()
}

func pay(lock *sync.Mutex) {
	lock.Lock()
	defer lock.Unlock()
	time.Sleep(5 * time.Millisecond)
}

func open(cart int) { carts.Add(cart, 0) }
