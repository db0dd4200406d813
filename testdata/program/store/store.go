// Package store keeps what the shop sells.
package store

import (
	"sync"
	"time"
)

// Order is what a customer wants.
type Order struct{ total int }

// Total is the price of the order.
func (order *Order) Total() int { return order.total }

// Inventory counts what is left.
type Inventory struct {
	mu      sync.Mutex
	index   sync.RWMutex
	changed *sync.Cond
	disk    chan []byte
}

// Open opens the inventory; its disk never answers.
func Open() *Inventory {
	inventory := &Inventory{disk: make(chan []byte)}
	inventory.changed = sync.NewCond(&sync.Mutex{})
	go inventory.watch()
	go inventory.reindex()
	return inventory
}

// Reserve takes one item; all but the first wait for the lock that the first one holds.
func (inventory *Inventory) Reserve(item int) {
	if item%4 == 3 {
		inventory.index.RLock()
		defer inventory.index.RUnlock()
	}
	inventory.mu.Lock()
	defer inventory.mu.Unlock()
	inventory.load(item)
}

func (inventory *Inventory) load(int) []byte { return <-inventory.disk }

// watch waits until something changes.
func (inventory *Inventory) watch() {
	inventory.changed.L.Lock()
	defer inventory.changed.L.Unlock()
	inventory.changed.Wait()
}

// reindex holds the index while it waits for the disk.
func (inventory *Inventory) reindex() {
	inventory.index.Lock()
	defer inventory.index.Unlock()
	inventory.load(0)
}

// Quote asks for a price and gives up before the answer comes: the asking goroutine leaks.
func Quote(patience time.Duration) {
	answer := make(chan int)
	go func() {
		time.Sleep(2 * patience)
		answer <- 42
	}()
	select {
	case <-answer:
	case <-time.After(patience):
	}
}

// WriteTogether lets two goroutines write one map.
func WriteTogether() {
	prices := map[int]int{}
	for i := 0; i < 2; i++ {
		go func(i int) {
			for {
				prices[i]++
			}
		}(i)
	}
	time.Sleep(time.Minute)
}
