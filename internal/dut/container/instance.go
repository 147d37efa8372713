package container

import "github.com/upflab/upflab/internal/dut"

// contained is the other driver's instance, with more to say of it.
type contained struct {
	dut.Instance
	remarks []string
}

// worker is one of a UPF that polls.
type worker struct {
	contained
	dut.Worker
}

func contain(i dut.Instance, remarks []string) dut.Instance {
	c := contained{i, remarks}
	if w, is := i.(dut.Worker); is {
		return worker{c, w}
	}
	return c
}

// Endpoint is dut.Instance's.
func (c contained) Endpoint() dut.Endpoint {
	e := c.Instance.Endpoint()
	e.Remarks = append(append([]string(nil), c.remarks...), e.Remarks...)
	return e
}
