package dut

// Image is a container image from which a UPF's program is run, in place of the
// one that is installed on this machine.
type Image struct {
	Podman  []string // the command: the program's path, then podman's own options
	Name    string   // of the image, as podman knows it
	Program string   // its path in the image; "": the driver's name for it, in the image's PATH
}

// Find gives the command that starts a UPF's program: that of Find, or the program's
// name in the image that it is run from.
func (e Env) Find(info Info, program string) (command []string, err error) {
	if e.Image == nil {
		command, _, err = Find(info, program)
		return command, err
	}
	if e.Image.Program != "" {
		program = e.Image.Program
	}
	return []string{program}, nil
}
