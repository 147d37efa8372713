package figure

import "github.com/upflab/upflab/internal/record"

// ofInstructions are the figures that a machine counts whose clock counts instructions.
func ofInstructions() []Figure {
	return []Figure{
		{Name: "instructions_per_packet", Unit: Count, AnySpeed: true,
			Doc:     "instructions for a packet, beyond what it takes through wire, in a machine that counts them",
			counted: ofPacket(func(x *record.Instructions) float64 { return x.Each })},
		{Name: "program_instructions_per_packet", Unit: Count, AnySpeed: true,
			Doc:     "instructions for a packet in the UPF's XDP program alone, in a machine that counts them",
			counted: ofPacket(func(x *record.Instructions) float64 { return x.Program })},
		{Name: "instructions_per_request", Unit: Count, AnySpeed: true,
			Doc: "instructions of the UPF's processes for a request of N4, in a machine that counts them",
			counted: func(x *record.Instructions) float64 {
				if x.Procedure == "" {
					return none()
				}
				return positive(x.Each)
			}},
	}
}

func ofPacket(of func(*record.Instructions) float64) func(*record.Instructions) float64 {
	return func(x *record.Instructions) float64 {
		if x.Procedure != "" {
			return none()
		}
		return positive(of(x))
	}
}
