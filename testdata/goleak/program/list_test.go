package shop

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"
)

func start() {
	go leak(make(chan int))
	go leak(nil)
	go func() { select {} }()
	go func() { make(chan int) <- 1 }()
	go func() {
		runtime.LockOSThread()
		leak(make(chan int))
	}()
	go pprof.Do(context.Background(), pprof.Labels("shelf", "left, with care"), func(context.Context) {
		leak(make(chan int))
	})
	time.Sleep(200 * time.Millisecond)
}

func TestNew(t *testing.T) {
	start()
	t.Error(fmt.Errorf("found unexpected goroutines:\n%s", list(false)))
}

func TestOld(t *testing.T) {
	start()
	t.Error(fmt.Errorf("found unexpected goroutines:\n%s", list(true)))
}

func TestQuiet(*testing.T) { start() }

func TestMain(m *testing.M) {
	code := m.Run()
	if form := os.Getenv("MAIN"); form != "" {
		fmt.Fprintf(os.Stderr, "goleak: Errors on successful test run: found unexpected goroutines:\n%s\n", list(form == "old"))
		code = 1
	}
	os.Exit(code)
}
