// Package queue hands work to workers.
package queue

import (
	"sync"
)

// Pool is a number of workers with one inbox.
type Pool[T any] struct {
	name  string
	inbox chan T
	acks  chan error
}

// NewPool starts workers that wait for work.
func NewPool[T any](name string, workers int) *Pool[T] {
	pool := &Pool[T]{name: name, inbox: make(chan T), acks: make(chan error)}
	for i := 0; i < workers; i++ {
		go pool.work()
	}
	return pool
}

func (pool *Pool[T]) work() {
	for item := range pool.inbox {
		_ = item
		pool.acks <- nil
	}
}

// Import waits for parts that all wait for each other.
func (pool *Pool[T]) Import(parts int) {
	var group sync.WaitGroup
	for part := 0; part < parts; part++ {
		group.Add(1)
		go func() {
			defer group.Done()
			apply(func() { pool.acks <- nil })
		}()
	}
	group.Wait()
}

func apply(step func()) { step() }

// Drain receives until the channel is closed; of a nil channel, forever.
func Drain[T any](inbox <-chan T) {
	for range inbox {
	}
}
