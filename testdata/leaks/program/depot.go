package main

import (
	"context"
	"sync"
	"time"
)

// depot is what all requests share.
type depot struct {
	pool    *pool
	stock   stock
	news    *news
	metrics chan struct{}
	done    sync.WaitGroup
}

func openDepot() *depot {
	d := &depot{pool: openPool(), news: openNews(), metrics: make(chan struct{})}
	d.done.Add(1)
	go d.reportMetrics()
	return d
}

// serve does one request of every kind.
func (d *depot) serve(ctx context.Context) {
	_, _ = quote(-1)
	_ = firstParcels(2)
	weighAll([]int{1, 2, 3})
	_ = fastestCarrier()
	d.follow(ctx)
	d.ship()
	d.pool.pack()
	connect().hangUp()
}

// keepBusy has so many requests under way until release is called.
func (d *depot) keepBusy(requests int) (release func()) {
	gate := make(chan struct{})
	var done sync.WaitGroup
	for range requests {
		done.Add(1)
		go func() {
			defer done.Done()
			<-gate
		}()
	}
	return func() {
		close(gate)
		done.Wait()
	}
}

// reportMetrics is there from start to end, as many such goroutines are.
func (d *depot) reportMetrics() {
	defer d.done.Done()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-d.metrics:
			return
		}
	}
}

func (d *depot) close() {
	close(d.metrics)
	d.pool.close()
	d.done.Wait()
}
