// What reads options of builtin operators: the tree's own parsers, into memory of the plan.

class Parsed : public tree::TfLiteBridgeBuiltinDataAllocator {
 public:
  void* Allocate(size_t size, size_t) override {
    const Kernel& its = kernels[current];
    if (size > static_cast<size_t>(its.parsed_bytes)) too_much("options", size, its.parsed_bytes);
    return arena + its.parsed;
  }
  void Deallocate(void*) override {}
  virtual ~Parsed() = default;
  void operator delete(void*) {}
};

void read_options(const Kernel& its, TfLiteNode& node) {
  tree::TfLiteBridgeBuiltinParseFunction parse = nullptr;
  switch (current) {
    $cases;
    default: return;
  }
  Parsed allocator;
  auto* op =
      flatbuffers::GetRoot<tree::Model>(its.options)->subgraphs()->Get(0)->operators()->Get(0);
  if (tree::CallBuiltinParseFunction(parse, op, &allocator, &node.builtin_data) != kTfLiteOk)
    refuse("the parser of its options", -1, "it does not take them");
}
