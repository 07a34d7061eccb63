.section .rodata.model,"a"
.balign 16
.global stock_model
stock_model:
.incbin "model.bin"
