// Native dies in C.
package main

/*
static int total(int *order) { return *order; }
*/
import "C"

import (
	"fmt"
	"time"
)

func main() {
	go time.Sleep(time.Hour)
	time.Sleep(50 * time.Millisecond)
	fmt.Println(pay())
}

func pay() int { return int(C.total(nil)) }
