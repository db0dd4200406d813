// Package leaks makes every well-known mistake that leaks goroutines, or does the same work without
// the mistake.
package leaks

import (
	"runtime"
	"time"
)

// A Leak is a mistake.
type Leak struct {
	Name string
	// Make does the work, with the mistake if it is to be broken.
	Make func(broken bool)
}

// All are the mistakes.
var All = []Leak{
	{"stranded-sender", stranded},
	{"unanswered-receive", unanswered},
	{"unclosed-range", unclosedRange},
	{"select-without-exit", noExit},
	{"time-after-loop", reminders},
	{"ticker-loop", ticking},
	{"forgotten-cancel", forgottenCancel},
	{"nil-channel", nilChannel},
	{"empty-select", emptySelect},
	{"sleep-loop", sleeper},
	{"fan-out", fanOut},
	{"signal-loop", signalLoop},
	{"lost-lock", lostLock},
	{"lock-per-request", piledUp},
	{"wait-group", neverDone},
	{"condition", unsignalled},
	{"response-body", unclosedBody},
	{"test-server", unclosedTestServer},
	{"http-server", runningServer},
	{"sql-db", unclosedDatabase},
	{"sql-rows", unclosedRows},
	{"exec-pipe", unwaited},
}

// Settle waits until the number of goroutines has stayed the same for a while.
func Settle() {
	for same, last := 0, 0; same < 10; same++ {
		time.Sleep(5 * time.Millisecond)
		if now := runtime.NumGoroutine(); now != last {
			same, last = 0, now
		}
	}
}
