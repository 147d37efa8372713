package bess

import (
	"context"
	"fmt"
)

// Field numbers are those of BESS's protobuf/bess_msg.proto and error.proto.

// failure is the Error that each answer has as its field 1.
func failure(message []byte) error {
	return each(message, func(x field) error {
		if x.number != 1 || x.bytes == nil {
			return nil
		}
		var code uint64
		var words string
		err := each(x.bytes, func(e field) error {
			switch e.number {
			case 1:
				code = e.value
			case 2:
				words = string(e.bytes)
			}
			return nil
		})
		if err == nil && code != 0 {
			err = fmt.Errorf("error %d: %s", int32(code), words)
		}
		return err
	})
}

// Version is bessd's.
func (c *Client) Version(ctx context.Context) (version string, err error) {
	answer, err := c.call(ctx, "GetVersion", nil)
	if err != nil {
		return "", err
	}
	err = each(answer, func(x field) error {
		if x.number == 2 {
			version = string(x.bytes)
		}
		return nil
	})
	return version, err
}
