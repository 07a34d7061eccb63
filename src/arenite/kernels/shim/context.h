// The classes are defined by who includes this behind what generated.h says of a tree, and so is refuse().

/* What a kernel's TfLiteContext leads to, as the tree's own classes want it. */
#ifndef ARENITE_KERNEL_CONTEXT_H
#define ARENITE_KERNEL_CONTEXT_H

#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_graph.h"

namespace tree = AK_NAMESPACE;

/* Before September 2023, and at some vendors still, MicroContext and MicroGraph are what an
 * interpreter has: made of its parts, which a kernel's host does not need. */
#ifdef AK_CONCRETE
#define AK_ABSTRACT
#else
#define AK_ABSTRACT override
#endif

struct ak_node;

namespace {

/* Ends the call of the kernel; a subgraph below 0 is none. */
[[noreturn]] void refuse(const char* function, int subgraph, const char* why);

class Graph : public tree::MicroGraph {
 public:
#ifdef AK_CONCRETE
  Graph() : MicroGraph(nullptr, nullptr, nullptr, nullptr) {}
#endif
  TfLiteStatus InvokeSubgraph(int subgraph) override { no("MicroGraph::InvokeSubgraph", subgraph); }
  size_t NumSubgraphInputs(int subgraph) override { no("MicroGraph::NumSubgraphInputs", subgraph); }
  TfLiteEvalTensor* GetSubgraphInput(int subgraph, int) override {
    no("MicroGraph::GetSubgraphInput", subgraph);
  }
  size_t NumSubgraphOutputs(int subgraph) override {
    no("MicroGraph::NumSubgraphOutputs", subgraph);
  }
  TfLiteEvalTensor* GetSubgraphOutput(int subgraph, int) override {
    no("MicroGraph::GetSubgraphOutput", subgraph);
  }
  int NumSubgraphs() override { no("MicroGraph::NumSubgraphs", -1); }
  tree::MicroResourceVariables* GetResourceVariables() AK_ABSTRACT {
    no("MicroGraph::GetResourceVariables", -1);
  }
  virtual ~Graph() = default;
  void operator delete(void*) {}

 private:
  [[noreturn]] static void no(const char* function, int subgraph) {
    refuse(function, subgraph, "a compiled kernel cannot call subgraphs or use resource variables");
  }
};

class Context : public tree::MicroContext {
 public:
#ifdef AK_CONCRETE
  explicit Context(ak_node* node) : MicroContext(nullptr, nullptr, &graph_), node_(node) {}
#else
  explicit Context(ak_node* node) : node_(node) {}
#endif
  virtual ~Context() = default;
  void* AllocatePersistentBuffer(size_t bytes) override;
  TfLiteStatus RequestScratchBufferInArena(size_t bytes, int* handle) override;
  void* GetScratchBuffer(int handle) override;
  TfLiteTensor* AllocateTempTfLiteTensor(int index) override;
  void DeallocateTempTfLiteTensor(TfLiteTensor* tensor) override;
  uint8_t* AllocateTempBuffer(size_t size, size_t alignment) AK_ABSTRACT;
  void DeallocateTempBuffer(uint8_t* buffer) AK_ABSTRACT;
  TfLiteEvalTensor* GetEvalTensor(int index) override;
#ifndef AK_CONCRETE
  TfLiteStatus set_external_context(void*) override {
    refuse("MicroContext::set_external_context", -1, "that is the interpreter's to set");
  }
  void* external_context() override;
  tree::MicroGraph& graph() override { return graph_; }
#endif
#ifdef AK_COMPRESSION
  bool IsTensorCompressed(const TfLiteNode*, int) override { return false; }
  int AllocateDecompressionScratchBuffer(const TfLiteNode*, int) override { return -1; }
  const tree::CompressionTensorData* GetTensorCompressionData(const TfLiteNode*, int) override {
    return nullptr;
  }
#endif
#ifdef AK_DECOMPRESSION_MEMORY
  TfLiteStatus SetDecompressionMemory(const AlternateMemoryRegion*, size_t) override {
    refuse("MicroContext::SetDecompressionMemory", -1, "that is the interpreter's to set");
  }
  void* AllocateDecompressionMemory(size_t bytes, size_t alignment) override;
  void ResetDecompressionMemoryAllocations() override;
#endif
  void operator delete(void*) {}

 private:
  ak_node* node_;
  Graph graph_;
};

/* A registration's reset(), which older trees and a vendor's have not. */
using Reset = void (*)(TfLiteContext*, void*);
template <typename R>
auto reset_of(const R& registration, int) -> decltype(Reset{registration.reset}) {
  return registration.reset;
}
template <typename R>
Reset reset_of(const R&, long) {
  return nullptr;
}

/* The functions of a TfLiteContext that end in a MicroContext. */
inline void serve(TfLiteContext& context, Context& micro) {
  context.impl_ = static_cast<tree::MicroContext*>(&micro);
  context.ReportError = tree::MicroContextReportOpError;
  context.GetTensor = tree::MicroContextGetTensor;
  context.GetEvalTensor = tree::MicroContextGetEvalTensor;
  context.RequestScratchBufferInArena = tree::MicroContextRequestScratchBufferInArena;
  context.GetExternalContext = tree::MicroContextGetExternalContext;
  context.AllocatePersistentBuffer = tree::MicroContextAllocatePersistentBuffer;
  context.GetScratchBuffer = tree::MicroContextGetScratchBuffer;
}

}  // namespace

#endif
