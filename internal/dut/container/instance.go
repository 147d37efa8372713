package container

import "github.com/upflab/upflab/internal/dut"

// contained is the other driver's instance, with more to say of it.
type contained struct {
	dut.Instance
	remarks []string
}

// Endpoint is dut.Instance's.
func (c contained) Endpoint() dut.Endpoint {
	e := c.Instance.Endpoint()
	e.Remarks = append(append([]string(nil), c.remarks...), e.Remarks...)
	return e
}
