package bess

import "fmt"

// The messages of BESS's protobuf/bess_msg.proto and error.proto, with
// the fields that are read here. The tags are those of the protocol buffer compiler for
// Go; the library skips fields that a message does not have.

// message has the methods by which the library knows a message.
type message struct{}

func (message) Reset()         {}
func (message) String() string { return "BESS message" }
func (message) ProtoMessage()  {}

// fault is BESS's Error.
type fault struct {
	message
	Code    int32  `protobuf:"varint,1,opt,name=code,proto3"`
	Message string `protobuf:"bytes,2,opt,name=errmsg,proto3"`
}

func (f *fault) String() string { return fmt.Sprintf("error %d: %s", f.Code, f.Message) }

type emptyRequest struct{ message }

// namedRequest asks for one module, port or traffic class.
type namedRequest struct {
	message
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

type versionResponse struct {
	message
	Error   *fault `protobuf:"bytes,1,opt,name=error,proto3"`
	Version string `protobuf:"bytes,2,opt,name=version,proto3"`
}

type modulesResponse struct {
	message
	Error   *fault    `protobuf:"bytes,1,opt,name=error,proto3"`
	Modules []*module `protobuf:"bytes,2,rep,name=modules,proto3"`
}

type module struct {
	message
	Name  string `protobuf:"bytes,1,opt,name=name,proto3"`
	Class string `protobuf:"bytes,2,opt,name=mclass,proto3"`
}

type moduleInfoResponse struct {
	message
	Error *fault        `protobuf:"bytes,1,opt,name=error,proto3"`
	Gates []*outputGate `protobuf:"bytes,7,rep,name=ogates,proto3"`
}

type outputGate struct {
	message
	Packets uint64 `protobuf:"varint,3,opt,name=pkts,proto3"`
	Next    string `protobuf:"bytes,6,opt,name=name,proto3"`
}

type portStatsResponse struct {
	message
	Error *fault         `protobuf:"bytes,1,opt,name=error,proto3"`
	In    *portDirection `protobuf:"bytes,2,opt,name=inc,proto3"`
	Out   *portDirection `protobuf:"bytes,3,opt,name=out,proto3"`
}

type portDirection struct {
	message
	Packets uint64   `protobuf:"varint,1,opt,name=packets,proto3"`
	Dropped uint64   `protobuf:"varint,2,opt,name=dropped,proto3"`
	Actual  []uint64 `protobuf:"varint,5,rep,packed,name=actual_hist,proto3"`
}

type workersResponse struct {
	message
	Error   *fault    `protobuf:"bytes,1,opt,name=error,proto3"`
	Workers []*worker `protobuf:"bytes,2,rep,name=workers_status,proto3"`
}

type worker struct {
	message
	SilentDrops int64 `protobuf:"varint,5,opt,name=silent_drops,proto3"`
}

type classesRequest struct {
	message
	Worker int64 `protobuf:"varint,1,opt,name=wid,proto3"` // -1: all
}

type classesResponse struct {
	message
	Error   *fault         `protobuf:"bytes,1,opt,name=error,proto3"`
	Classes []*classStatus `protobuf:"bytes,2,rep,name=classes_status,proto3"`
}

type classStatus struct {
	message
	Class *trafficClass `protobuf:"bytes,1,opt,name=class,proto3"`
}

type trafficClass struct {
	message
	Name   string `protobuf:"bytes,2,opt,name=name,proto3"`
	Policy string `protobuf:"bytes,4,opt,name=policy,proto3"`
	Module string `protobuf:"bytes,11,opt,name=leaf_module_name,proto3"`
}

type classStatsResponse struct {
	message
	Error   *fault `protobuf:"bytes,1,opt,name=error,proto3"`
	Rounds  uint64 `protobuf:"varint,3,opt,name=count,proto3"`
	Cycles  uint64 `protobuf:"varint,4,opt,name=cycles,proto3"`
	Packets uint64 `protobuf:"varint,5,opt,name=packets,proto3"`
}

func (r *versionResponse) fault() *fault    { return r.Error }
func (r *modulesResponse) fault() *fault    { return r.Error }
func (r *moduleInfoResponse) fault() *fault { return r.Error }
func (r *portStatsResponse) fault() *fault  { return r.Error }
func (r *workersResponse) fault() *fault    { return r.Error }
func (r *classesResponse) fault() *fault    { return r.Error }
func (r *classStatsResponse) fault() *fault { return r.Error }
