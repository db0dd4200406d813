// Package orders dies in many ways.
package orders

import (
	"errors"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

// Ways to die, by name.
var Ways = map[string]func(){
	"outofmemory":   hoard,
	"stackoverflow": overflow,
	"deferred":      deferred,
	"recovered":     recovered,
	"thrice":        thrice,
	"goexit":        leave,
	"lategoexit":    lateGoexit,
	"asleep":        asleep,
	"mapwrites":     mapWrites,
	"waitgroup":     doneTwice,
	"callback":      callback,
	"nilfunc":       nilFunc,
	"error":         raiseError,
	"value":         raiseValue,
	"unlock":        unlockTwice,
}

type order struct {
	id    int
	state string
}

// Wait is what others do meanwhile.
func Wait(long time.Duration) { time.Sleep(long) }

func hoard() {
	var all [][]byte
	for {
		block := make([]byte, 64<<20)
		for at := 0; at < len(block); at += 4096 {
			block[at] = 1
		}
		all = append(all, block)
	}
}

func overflow() { descend(1, [64]int{}) }

func descend(depth int, pad [64]int) int {
	pad[depth%64] = depth
	return descend(depth+1, pad) + pad[0]
}

// deferred panics, and once more on its way out.
func deferred() {
	defer cleanUp()
	panic("no such order")
}

func cleanUp() { panic("clean-up failed") }

// recovered raises again what it recovered.
func recovered() {
	defer func() { panic(recover()) }()
	panic("no such order")
}

// thrice recovers one panic and raises another, twice.
func thrice() {
	defer func() {
		recover()
		panic("third")
	}()
	defer func() {
		recover()
		panic("second")
	}()
	panic("first")
}

func leave() { runtime.Goexit() }

func lateGoexit() {
	defer func() { panic("too late") }()
	runtime.Goexit()
}

func asleep() { <-make(chan int) }

func mapWrites() {
	counts := map[int]int{}
	for i := 0; i < 4; i++ {
		go func() {
			for j := 0; ; j++ {
				counts[j%8]++
			}
		}()
	}
	Wait(time.Hour)
}

func doneTwice() { new(sync.WaitGroup).Done() }

func unlockTwice() { new(sync.Mutex).Unlock() }

func raiseError() { panic(fmt.Errorf("order %d:\n\tno %w", 17, errors.New("customer"))) }

func raiseValue() { panic(order{17, "lost"}) }

// callback panics in one's own code, called by the standard library.
func callback() {
	names := strings.Fields("b a c")
	sort.Slice(names, func(i, j int) bool { return names[i] < names[j+3] })
}

// nilFunc dies where no code of one's own is on the stack.
func nilFunc() {
	time.AfterFunc(time.Millisecond, nil)
	Wait(time.Hour)
}
