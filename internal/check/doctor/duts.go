package doctor

import (
	"context"

	"github.com/upflab/upflab/internal/lab/dut"
)

// installed checks whether a DUT is there; a run needs none but the built-in ones.
func installed(d dut.Listed) check {
	return func(context.Context, *exam) Finding {
		info := d.Info()
		f := Finding{Name: info.Name, State: OK, Detail: info.Summary}
		version, err := d.Installed()
		switch {
		case err != nil:
			f.State, f.Detail = Info, err.Error()
		case info.External:
			f.State = Info
		case version != "":
			f.Detail += "; version " + version
		}
		return f
	}
}
