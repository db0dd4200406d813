//go:build cgo

package main

/*
#include <unistd.h>
static void block(void) { for (;;) pause(); }
void goWait(void);
static void callBack(void) { goWait(); }
*/
import "C"

//export goWait
func goWait() { <-make(chan int) }

func inC() {
	go func() { C.block() }()
	go func() { C.callBack() }()
}
