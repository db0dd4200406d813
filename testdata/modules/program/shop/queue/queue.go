package queue

import "github.com/acme/dep/v2/pool"

func Fill() {
	for i := 0; i < 3; i++ {
		pool.Start()
	}
}

func Wait(c chan int) { <-c }
