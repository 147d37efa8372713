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

// Build is the target with another program: that which the environment variable names
// when it has this value. It is called eupf@name. It fails where the driver does not find
// the program.
func (t Target) Build(name, variable, value string) (Target, error) {
	b := Build{Driver: t.Driver, Name: t.Driver.Info().Name + "@" + name, Variable: variable, Value: value}
	version, err := b.Installed()
	return Target{Driver: b, Mode: t.Mode, Version: version}, err
}
