package bess

import (
	"context"
	"fmt"
)

// SilentDrops are packets that a module left to a gate with nothing behind it,
// over all workers.
func (c *Client) SilentDrops(ctx context.Context) (uint64, error) {
	answer, err := c.call(ctx, "ListWorkers", nil)
	if err != nil {
		return 0, err
	}
	return parseSilentDrops(answer)
}

func parseSilentDrops(answer []byte) (n uint64, err error) {
	err = each(answer, func(x field) error {
		if x.number != 2 {
			return nil
		}
		return each(x.bytes, func(y field) error {
			if y.number == 5 {
				n += y.value
			}
			return nil
		})
	})
	return n, err
}

// Leaf is a traffic class that is a task: here, the polling of a port's queue.
type Leaf struct {
	Name   string
	Module string // whose task it is
}

// Leaves of all workers.
func (c *Client) Leaves(ctx context.Context) ([]Leaf, error) {
	answer, err := c.call(ctx, "ListTcs", allWorkers())
	if err != nil {
		return nil, err
	}
	return parseLeaves(answer)
}

// allWorkers is a ListTcsRequest with wid = -1.
func allWorkers() []byte {
	return []byte{1 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
}

func parseLeaves(answer []byte) (list []Leaf, err error) {
	err = each(answer, func(x field) error {
		if x.number != 2 {
			return nil
		}
		return each(x.bytes, func(status field) error {
			if status.number != 1 { // TrafficClass
				return nil
			}
			leaf, policy, err := parseClass(status.bytes)
			if policy == "leaf" {
				list = append(list, leaf)
			}
			return err
		})
	})
	return list, err
}

func parseClass(b []byte) (leaf Leaf, policy string, err error) {
	err = each(b, func(x field) error {
		switch x.number {
		case 2:
			leaf.Name = string(x.bytes)
		case 4:
			policy = string(x.bytes)
		case 11:
			leaf.Module = string(x.bytes)
		}
		return nil
	})
	return leaf, policy, err
}

// Usage is what a traffic class has used so far.
type Usage struct {
	Rounds  uint64 // times it was scheduled
	Cycles  uint64
	Packets uint64
}

// Usage of one traffic class.
func (c *Client) Usage(ctx context.Context, class string) (Usage, error) {
	answer, err := c.call(ctx, "GetTcStats", text(1, class))
	if err != nil {
		return Usage{}, fmt.Errorf("traffic class %s: %w", class, err)
	}
	return parseUsage(answer)
}

func parseUsage(answer []byte) (u Usage, err error) {
	err = each(answer, func(x field) error {
		switch x.number {
		case 3:
			u.Rounds = x.value
		case 4:
			u.Cycles = x.value
		case 5:
			u.Packets = x.value
		}
		return nil
	})
	return u, err
}
