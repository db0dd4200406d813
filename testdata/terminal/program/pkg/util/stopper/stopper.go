// Package stopper starts tasks that end with the server.
package stopper

import "context"

// A Stopper starts tasks.
type Stopper struct{}

// RunAsyncTask runs a task in a goroutine of its own.
func (s *Stopper) RunAsyncTask(ctx context.Context, task func(context.Context)) {
	go func() {
		task(ctx)
	}()
}
