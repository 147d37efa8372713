package smf

import (
	"sync"
	"sync/atomic"
)

// pipeline runs work for 0..n-1, at most Window at once, each worker with a
// builder of its own. After a failure no more work begins, and what is under way
// ends. It returns the error of the lowest index that failed.
func (c *Client) pipeline(n int, work func(m *builder, i int) error) error {
	var (
		next    atomic.Int64
		stop    atomic.Bool
		mu      sync.Mutex
		failed  = n
		failure error
		workers sync.WaitGroup
	)
	for range min(c.cfg.Window, n) {
		workers.Go(func() {
			var m builder
			for i := int(next.Add(1)) - 1; i < n && !stop.Load(); i = int(next.Add(1)) - 1 {
				err := work(&m, i)
				if err == nil {
					continue
				}
				stop.Store(true)
				mu.Lock()
				if i < failed {
					failed, failure = i, err
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return failure
}
