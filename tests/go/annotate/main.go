// Annotate waits with a stack of which it tells what is where.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unsafe"
)

type node struct {
	next *node
	id   uintptr
}

var (
	wait  = make(chan bool)
	facts = make(chan string)
	sum   uintptr
	heap  *node
)

// What address is, without the compiler knowing that it was taken.
//
//go:noinline
func address(pointer unsafe.Pointer) uintptr { return uintptr(pointer) }

// In the heap, as others may have it.
func made(id uintptr) *node {
	heap = &node{id: id}
	return heap
}

// The stack grows, and moves, before its addresses are told.
//
//go:noinline
func grow() byte {
	var much [16 << 10]byte
	return much[sum&1]
}

func goroutine() string {
	var text [64]byte
	return strings.Fields(string(text[:runtime.Stack(text[:], false)]))[1]
}

//go:noinline
func inner(object *[4]*node, live *node, number uintptr) uintptr {
	dead := made(4)
	facts <- fmt.Sprintf("%s %#x %#x %#x %#x", goroutine(), address(unsafe.Pointer(object)),
		address(unsafe.Pointer(live)), address(unsafe.Pointer(dead)), number)
	sum += dead.id
	<-wait
	return live.id + object[number&3].id + number
}

//go:noinline
func outer(depth int, number uintptr) uintptr {
	if depth > 0 {
		return outer(depth-1, number) + 1
	}
	var object [4]*node
	for i := range object {
		object[i] = made(uintptr(i))
	}
	kept := made(number)
	return inner(&object, kept, number) + kept.id
}

func main() {
	// Stacks shrink, and move, in collections.
	debug.SetGCPercent(-1)
	count, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < count; i++ {
		i := i
		go func() {
			grow()
			outer(i, 0xfeed0000+uintptr(i))
		}()
		fmt.Println(<-facts)
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
}
