package dut

// Image is a container image from which a UPF's program is run, in place of the
// one that is installed on this machine.
type Image struct {
	Engine  []string // the command that runs containers: the program's path, then its own options
	Docker  bool     // it is docker, else podman
	Name    string   // of the image, as the engine knows it
	Program string   // its path in the image; "": the driver's name for it, in the image's PATH
	// Control is the image of the program that speaks N4, where that is another one; "":
	// Name has it, too.
	Control string
}

// ForControl is the image that the program that speaks N4 is run from; nil when the UPF is
// on this machine.
func (i *Image) ForControl() *Image {
	if i == nil || i.Control == "" {
		return i
	}
	c := *i
	c.Name = i.Control
	return &c
}

// Find gives the command that starts a UPF's program: that of Find, or the program's
// name in the image that it is run from.
func (e Env) Find(info Info, program string) (command []string, err error) {
	if e.Image == nil {
		if command, _, err = Find(info, program); err != nil && e.Elsewhere {
			return []string{program}, nil
		}
		return command, err
	}
	if e.Image.Program != "" {
		program = e.Image.Program
	}
	return []string{program}, nil
}
