package queue

import (
	"runtime"
	"testing"
)

func TestImport(t *testing.T) {
	NewPool[int]("test", 2).Import(2)
}

func TestStacks(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }()
	runtime.Gosched()
	buffer := make([]byte, 1<<16)
	t.Errorf("found:\n%s", buffer[:runtime.Stack(buffer, true)])
}
