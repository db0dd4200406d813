//go:build go1.25

package queue

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go Drain(make(chan int))
		go Drain[int](nil)
		time.Sleep(time.Second)
	})
}
