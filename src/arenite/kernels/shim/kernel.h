/* The boundary between Arenite and a kernel that is compiled against a user's own TFLM: plain C, and no
 * struct of TFLM's crosses it. The shim (shim.cc) includes it, and so does Arenite's engine: declarations
 * only, nothing for the preprocessor but guards and includes. */
#ifndef ARENITE_KERNEL_SHIM_H
#define ARENITE_KERNEL_SHIM_H

#include <stdint.h>

/* A tensor as the model says it, before it becomes the tree's own structs. */
typedef struct {
  int32_t type; /* the schema's TensorType */
  int32_t rank;
  int32_t dims[8];
  uint64_t bytes;
  void *data; /* NULL until memory is planned, but for constants */
  int32_t is_constant;
  int32_t is_variable;
  int32_t scale_count;
  int32_t zero_count;
  int32_t quantized_dimension;
  const float *scales; /* live as long as the node, as `zeros` do */
  const int64_t *zeros;
} ak_tensor;

/* What a kernel asks of its host. A failing call answers NULL, 0 or -1, and the kernel's function ends
 * there: kernels rarely look. */
typedef struct {
  void *(*persistent)(void *user, uint64_t bytes);
  int32_t (*scratch)(void *user, uint64_t bytes); /* a handle, or -1 */
  void *(*scratch_data)(void *user, int32_t handle);
  int32_t (*temp_tensor)(void *user, int32_t index);
  int32_t (*free_tensor)(void *user, int32_t index);
  void *(*temp_buffer)(void *user, uint64_t bytes, uint64_t alignment);
  int32_t (*free_buffer)(void *user, void *buffer);
  int32_t (*tensor)(void *user, int32_t index, ak_tensor *out);
  void *(*decompression)(void *user, uint64_t bytes); /* NULL: none is free, which is no failure */
  int32_t (*reset_decompression)(void *user);
} ak_host;

/* The functions of a registration, and the bit of each. */
enum { AK_INIT = 0, AK_PREPARE = 1, AK_INVOKE = 2, AK_RESET = 3, AK_FREE = 4 };

/* For `call` as well: from now on every inference of the node begins with reset(), or none does. */
enum { AK_ANEW = 5, AK_GO_ON = 6 };

/* How a call ends, besides what the kernel itself answers (TfLiteStatus). */
enum {
  AK_OK = 0,
  AK_ABORTED = 15,  /* kTfLiteAbort: the inference ends, nothing is wrong */
  AK_HOST = 100,    /* a call to the host failed, which knows why */
  AK_STOPPED = 101, /* a check, an abort() or what cannot be had: the log says it */
  AK_CRASHED = 102, /* a signal, see `ak_library.where` */
  AK_AGAIN = 103    /* a step has to be run by Arenite's interpreter instead */
};

typedef struct ak_node ak_node;

/* The indices of a node's tensors, and the file's options. */
typedef struct {
  const int32_t *inputs;
  const int32_t *outputs;
  const int32_t *intermediates;
  int32_t input_count;
  int32_t output_count;
  int32_t intermediate_count;
} ak_place;

/* What a compiled library offers; the shim's only exported function, ak_entry(), gives it. */
typedef struct {
  int32_t version;
  int32_t count;
  const char *const *names;       /* of the registrations' functions */
  int32_t (*has)(int32_t number); /* which functions the registration has, as bits */
  ak_node *(*create)(int32_t number, const ak_host *host, void *user, const void *options,
                     uint64_t size);
  /* Lets the tree's own parser read a builtin operator's options: the first operator of a model. */
  int32_t (*parse)(ak_node *node, const void *model);
  void (*place)(ak_node *node, const ak_place *place);
  int32_t (*call)(ak_node *node, int32_t function);
  void (*bind)(ak_node *node, int32_t index, void *data);
  void (*bind_scratch)(ak_node *node, int32_t handle, void *data);
  void (*bind_external)(ak_node *node, void *payload);
  int32_t (*dims)(ak_node *node, int32_t index, int32_t *dims); /* the rank; -1: not looked at */
  void *(*data)(ak_node *node, int32_t index);
  /* One inference without Python: `data` are the outputs' and then the inputs' addresses, which are
   * those that were bound last, or AK_AGAIN. What else it ends with, `call` says next time. */
  int32_t (*step)(ak_node *node, void *const *data);
  const char *(*said)(void); /* what the last call of this thread has logged */
  /* The instruction at which it crashed (0), and those behind the calls that led there; NULL ends them. */
  void *(*where)(int32_t number);
  void *(*base)(void);    /* where the library begins in memory; NULL: that is not known here */
  void *(*touched)(void); /* the address that it touched there */
  /* With `frees` its free() is called before, which may not ask the host any more. */
  void (*destroy)(ak_node *node, int32_t frees);
  /* Memory that ends at a page which nobody may touch; NULL: none here. */
  void *(*guarded)(uint64_t bytes, uint64_t alignment);
  void (*unguarded)(void *data, uint64_t bytes, uint64_t alignment);
} ak_library;

#endif
