package dut

// Target is a DUT in one of its modes, as a user asks for it.
type Target struct {
	Driver  Driver
	Mode    string
	Version string // as Driver.Installed gave it
}

// Label is the target's name with its mode, as the user writes it.
func (t Target) Label() string {
	if t.Mode == "" {
		return t.Driver.Info().Name
	}
	return t.Driver.Info().Name + ":" + t.Mode
}
