// Package replication has locks that are held too long.
package replication

import (
	"context"
	"sync"

	"github.com/example-warehouse/warehouse/pkg/util/stopper"
)

// A Replica is one copy of the data.
type Replica struct {
	mu      sync.Mutex
	updates chan int
}

// New makes a replica.
func New() *Replica { return &Replica{updates: make(chan int)} }

func (r *Replica) lock() { r.mu.Lock() }

// ApplyCommandsOfTheLogInBatches waits for the lock.
func (r *Replica) ApplyCommandsOfTheLogInBatches(ctx context.Context) {
	r.lock()
	defer r.mu.Unlock()
	<-ctx.Done()
}

type scheduler struct{ replica *Replica }

func (s *scheduler) worker(ctx context.Context) {
	select {
	case <-s.replica.updates:
	case <-ctx.Done():
	}
}

// Start starts workers, and writers that all want the lock.
func (r *Replica) Start(ctx context.Context, stopper *stopper.Stopper, workers, writers int) {
	s := &scheduler{r}
	for i := 0; i < workers; i++ {
		stopper.RunAsyncTask(ctx, s.worker)
	}
	for i := 0; i < writers; i++ {
		stopper.RunAsyncTask(ctx, r.ApplyCommandsOfTheLogInBatches)
	}
}
