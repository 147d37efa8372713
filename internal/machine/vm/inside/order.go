// Package inside is the first process of a guest of package vm: it mounts what the command there needs,
// runs it, and reports to the host over a serial line.
package inside

// Command is the hidden command by which upflab is that process.
const Command = "guest"

// Where the initramfs has what the first process reads.
const (
	OrderFile     = "/order.json"
	ModulesFolder = "/modules"
)

// The tags of the shares. Writable folders have WritableTag and their number.
const (
	RootTag     = "root"
	ModulesTag  = "modules"
	WritableTag = "writable"
)

// Program is where upflab is in the guest.
const Program = "/run/guest/upflab"

// Order is what a guest does.
type Order struct {
	Args []string // command line; the program is looked for in PATH
	Dir  string   // working directory, as on the host
	Env  []string // of the command, KEY=VALUE
	Host string   // name of the guest: its host's, so that guests of two hosts are two machines in their results
	// Early are files of ModulesFolder, which the kernel needs for its root, and Load the names of further
	// modules, which modprobe loads.
	Early, Load []string
	Release     string   // of the kernel: its modules are below /lib/modules there
	Writable    []string // folders of the host that are written through
	NICs        []NIC
	// MutesOutput drops what the command writes to standard output. Standard error goes to the host.
	MutesOutput bool
}

// NIC names an emulated NIC by its address.
type NIC struct {
	MAC    string
	Name   string // that the device gets
	Driver string `json:",omitempty"` // of the guest's kernel, once it runs
}

// Event is what the first process reports; one of its fields is set.
type Event struct {
	Up     *Up    `json:"up,omitempty"`     // the command begins
	Alive  bool   `json:"alive,omitempty"`  // every AliveEvery
	Status *int   `json:"status,omitempty"` // the command ended with this status
	Failed string `json:"failed,omitempty"` // it could not be run
}

// Up describes a guest that runs.
type Up struct {
	Kernel string // release
	NICs   []NIC
}

// EventMark begins an event on the line, and a newline ends it. All else there is text of the command, which loses
// the octets of this value.
const EventMark = 0

// Interrupt is the byte by which the host asks the command to end in order, as by Ctrl-C.
const Interrupt = 3
