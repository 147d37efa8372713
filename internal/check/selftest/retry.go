package selftest

import "slices"

// again is the experiment for those devices alone of which a row failed, and for the
// first, with which others are compared. A failure of no device is the whole's.
func (x experiment) again(rows []Row) experiment {
	wrong := map[string]bool{}
	for _, r := range rows {
		if !r.Pass {
			wrong[r.Device] = true
		}
	}
	known := func(name string) bool {
		return slices.ContainsFunc(x.devices, func(d device) bool { return d.name == name })
	}
	for name := range wrong {
		if !known(name) {
			return x
		}
	}
	first := x.devices[0].name
	x.devices = slices.DeleteFunc(slices.Clone(x.devices), func(d device) bool { return d.name != first && !wrong[d.name] })
	return x
}

// replaced are the rows with those of another try in place of the devices' that were
// not right. What no busy machine bends stays, whichever try it was in.
func replaced(rows, made []Row) []Row {
	right := map[string]bool{}
	for _, r := range rows {
		if _, seen := right[r.Device]; !seen || !r.Pass {
			right[r.Device] = r.Pass
		}
	}
	kept := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !right[r.Device] })
	fresh := slices.DeleteFunc(slices.Clone(made), func(r Row) bool { return right[r.Device] && (r.Pass || r.bends) })
	return append(kept, fresh...)
}
