package main

import (
	"math/rand"
	"sync"
	"time"
	"unsafe"
)

// What looks like the mistakes and is none: locks under contention, always taken in one order, or
// never two of them at once.

//go:noinline
func moveInOrder(from, to *Account, amount int) {
	first, second := from, to
	if uintptr(unsafe.Pointer(from)) > uintptr(unsafe.Pointer(to)) {
		first, second = to, from
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	work()
	second.mu.Lock()
	defer second.mu.Unlock()
	work()
	from.balance -= amount
	to.balance += amount
}

//go:noinline
func work() {
	if rand.Intn(8) == 0 {
		time.Sleep(time.Duration(rand.Intn(500)) * time.Microsecond)
		return
	}
	sum := 0
	for at := range [20000]int{} {
		sum += at * at
	}
	spent.Store("sum", sum)
}

var spent sync.Map

// Two structs that call each other, each without its own lock.

type Buyer struct {
	name   string
	mu     sync.Mutex
	seller *Seller
	money  int
}

type Seller struct {
	goods int
	mu    sync.Mutex
	buyer *Buyer
}

//go:noinline
func (b *Buyer) Buy() {
	b.pay()
	b.seller.hand()
	b.pay()
}

//go:noinline
func (b *Buyer) pay() {
	b.mu.Lock()
	defer b.mu.Unlock()
	work()
	b.money--
}

//go:noinline
func (s *Seller) Sell() {
	s.hand()
	s.buyer.pay()
	s.hand()
}

//go:noinline
func (s *Seller) hand() {
	s.mu.Lock()
	defer s.mu.Unlock()
	work()
	s.goods--
}

func healthy() {
	accounts := make([]*Account, 4)
	for at := range accounts {
		accounts[at] = new(Account)
	}
	for range [24]int{} {
		go func() {
			for {
				from, to := rand.Intn(len(accounts)), rand.Intn(len(accounts))
				if from != to {
					moveInOrder(accounts[from], accounts[to], 1)
				}
			}
		}()
	}
	buyer := new(Buyer)
	buyer.seller = &Seller{buyer: buyer}
	for range [10]int{} {
		go func() {
			for {
				buyer.Buy()
			}
		}()
		go func() {
			for {
				buyer.seller.Sell()
			}
		}()
	}
	table := &Table{rows: []int{1}}
	for range [10]int{} {
		go func() {
			for {
				table.Row(0)
				work()
			}
		}()
	}
	go func() {
		for {
			table.Add(1)
			table.rows = table.rows[:1]
		}
	}()
}
