package bess

import (
	"context"
	"fmt"
)

// Direction is what a port counts of one direction.
type Direction struct {
	Packets uint64
	Dropped uint64
	// Actual tells how often so many packets were moved at once; Actual[0] is the
	// number of polls that found nothing.
	Actual []uint64
}

// PortStats are a port's totals.
type PortStats struct{ In, Out Direction }

// PortStats of one port.
func (c *Client) PortStats(ctx context.Context, port string) (PortStats, error) {
	answer, err := c.call(ctx, "GetPortStats", text(1, port))
	if err != nil {
		return PortStats{}, fmt.Errorf("port %s: %w", port, err)
	}
	return parsePortStats(answer)
}

func parsePortStats(answer []byte) (s PortStats, err error) {
	err = each(answer, func(x field) (err error) {
		switch x.number {
		case 2:
			s.In, err = parseDirection(x.bytes)
		case 3:
			s.Out, err = parseDirection(x.bytes)
		}
		return err
	})
	return s, err
}

func parseDirection(b []byte) (d Direction, err error) {
	err = each(b, func(x field) (err error) {
		switch x.number {
		case 1:
			d.Packets = x.value
		case 2:
			d.Dropped = x.value
		case 5:
			d.Actual, err = numbers(x.bytes)
		}
		return err
	})
	return d, err
}
