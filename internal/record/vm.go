package record

// VM is the virtual machine in which a run was made. The run's Host describes what is in it.
type VM struct {
	Kernel    string `json:"kernel"`           // release
	NIC       string `json:"nic"`              // the model of N3's and N6's NICs; "veth": it had none
	Driver    string `json:"driver,omitempty"` // of these NICs, in that kernel
	Accel     string `json:"accel"`            // "kvm", or "tcg": each instruction was emulated
	QEMU      string `json:"qemu"`             // version
	CPUs      int    `json:"cpus"`             // that it had
	MemoryMiB int    `json:"memory_mib"`       // MiB
	Counts    bool   `json:"counts,omitempty"` // its clock counted instructions, and not time
}

// Emulated reports whether no time that was measured in it means anything.
func (v *VM) Emulated() bool { return v != nil && v.Accel != "kvm" }
