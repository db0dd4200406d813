// Mill grinds, keeps and waits, each in a few functions, and writes a profile of every kind before
// and after; labels tell which customer it did so for.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

var kept [][]byte

func main() {
	folder := os.Args[1]
	runtime.MemProfileRate = 4096
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	for round := 1; round <= 2; round++ {
		cpu := create(folder, round, "cpu")
		check(pprof.StartCPUProfile(cpu))
		var all sync.WaitGroup
		for _, customer := range []string{"acme", "globex", "initech"} {
			for _, class := range []string{"gold", "iron"} {
				all.Go(func() {
					labels := pprof.Labels("customer", customer, "class", class)
					pprof.Do(context.Background(), labels, func(context.Context) { serve(round, customer) })
				})
			}
		}
		all.Wait()
		pprof.StopCPUProfile()
		check(cpu.Close())
		runtime.GC()
		for _, name := range []string{"heap", "allocs", "block", "mutex", "threadcreate", "goroutine"} {
			file := create(folder, round, name)
			check(pprof.Lookup(name).WriteTo(file, 0))
			check(file.Close())
		}
	}
}

func create(folder string, round int, name string) *os.File {
	file, err := os.Create(filepath.Join(folder, fmt.Sprintf("%s.%d.pb.gz", name, round)))
	check(err)
	return file
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func serve(round int, customer string) {
	until := time.Now().Add(700 * time.Millisecond)
	for time.Now().Before(until) {
		grind(round, customer)
		keep(round)
		wait()
	}
	go idle()
}

// grind needs the processor; the second round sorts more and hashes less.
func grind(round int, customer string) {
	words := strings.Fields(strings.Repeat(customer+" mill flour wheat ", 200*round))
	sort.Strings(words)
	for range 60 / round {
		hash(words)
	}
	pack(words)
}

func hash(words []string) [32]byte {
	return sum(join(words))
}

func sum(text []byte) [32]byte { return sha256.Sum256(text) }

func join(words []string) []byte { return []byte(strings.Join(words, " ")) }

func pack(words []string) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	for _, word := range words {
		writer.Write([]byte(word))
	}
	writer.Close()
}

var store sync.Mutex

// keep needs memory that stays; the second round keeps smaller pieces.
func keep(round int) {
	store.Lock()
	defer store.Unlock()
	if len(kept) < 400*round {
		kept = append(kept, piece(round))
	}
}

func piece(round int) []byte { return make([]byte, 40960/(round*round)) }

func wait() {
	done := make(chan struct{})
	go func() {
		time.Sleep(time.Millisecond)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

func idle() { select {} }
