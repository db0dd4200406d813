// Parcels quotes, tracks and ships parcels, round after round, and leaks goroutines if it is told
// to: without -leak it is the healthy twin of itself.
//
// After every round it writes a dump, and others when all work is over.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

var (
	leak   = flag.String("leak", "", "the mistake to make, one of: "+strings.Join(mistakes(), ", "))
	dir    = flag.String("dir", ".", "where dumps go")
	rounds = flag.Int("rounds", 6, "rounds of work, each followed by a dump")
	each   = flag.Int("each", 5, "requests of every kind in a round")
)

// Requests that are on their way while a dump is written: some more, some less, as in life.
var inFlight = []int{4, 7, 3, 6, 2, 5}

func main() {
	flag.Parse()
	known := *leak == ""
	for _, name := range mistakes() {
		known = known || name == *leak
	}
	if !known {
		log.Fatalf("unknown mistake %q, use one of %s", *leak, strings.Join(mistakes(), ", "))
	}

	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)

	depot := openDepot()
	request := 0
	for round := range *rounds {
		for range *each {
			request++
			labels := pprof.Labels("request", strconv.Itoa(request))
			served := make(chan struct{})
			// Each in a goroutine of its own, as servers do.
			go func() {
				defer close(served)
				pprof.Do(context.Background(), labels, depot.serve)
			}()
			<-served
		}
		release := depot.keepBusy(inFlight[round%len(inFlight)])
		settle()
		dump("goroutine", 2, fmt.Sprintf("%d.txt", round+1))
		release()
	}
	depot.close()
	settle()
	dump("goroutine", 2, "end.txt")
	dump("goroutine", 1, "end.debug1.txt")
	dump("goroutineleak", 1, "end.leak.debug1.txt")
}

// settle waits until the number of goroutines has stayed the same for a while.
func settle() {
	for same, last := 0, 0; same < 5; same++ {
		time.Sleep(5 * time.Millisecond)
		if now := runtime.NumGoroutine(); now != last {
			same, last = 0, now
		}
	}
}

// dump writes a profile, if this Go has it.
func dump(name string, debug int, file string) {
	profile := pprof.Lookup(name)
	if profile == nil {
		return
	}
	f, err := os.Create(filepath.Join(*dir, file))
	if err != nil {
		log.Fatal(err)
	}
	if err := profile.WriteTo(f, debug); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
