package calibrator

import "github.com/upflab/upflab/upf/datapath"

// verdict is what becomes of a frame: forward, pass, or a datapath.Reason to
// drop it for.
type verdict int

const (
	forward verdict = -1
	pass    verdict = -2 // the kernel's
)

func dropFor(r datapath.Reason) verdict { return verdict(r) }
