package dut_test

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/container"
	"github.com/upflab/upflab/internal/lab/dut/eupf"
)

// A target is a driver, one of its modes, and a way to run it.
func ExampleTarget() {
	var driver eupf.Driver
	mode, err := driver.Info().ModeOf("")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(dut.Target{Driver: driver, Mode: mode}.Label())

	t, err := dut.In(container.Way{}, []dut.Driver{driver}, "eupf:generic")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(t.Label(), t.Info().MaxSessions)
	// Output:
	// eupf:native
	// container:eupf:generic 512
}

// The error about a wrong mode names the modes that there are.
func ExampleInfo_ModeOf() {
	_, err := eupf.Driver{}.Info().ModeOf("dpdk")
	fmt.Println(err)
	// Output: eupf has no mode "dpdk"; it has: native, generic
}
